import { parentPort, workerData } from 'node:worker_threads'
import { readDescription } from './read-description.ts'

parentPort?.postMessage(readDescription(workerData as Uint8Array), [])
