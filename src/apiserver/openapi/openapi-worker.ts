import { parentPort, workerData } from 'node:worker_threads'
import { lowerPriority } from '#apiserver/lower-priority.ts'

lowerPriority()
const { readDescription } = await import('./read-description.ts')
parentPort?.postMessage(readDescription(workerData as Uint8Array), [])
