import { parentPort, workerData } from 'node:worker_threads'
import { lowerPriority } from '#apiserver/lower-priority.ts'
import { readDescription } from './read-description.ts'

lowerPriority()
parentPort?.postMessage(readDescription(workerData as Uint8Array), [])
