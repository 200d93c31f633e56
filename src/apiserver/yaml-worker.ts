/** The thread that reads large YAML documents: they would hold up the event loop that serves everybody. */
import { parentPort } from 'node:worker_threads'
import { isStatus } from '#domain/errors.ts'
import { yamlToJson } from './parse-yaml.ts'
import type { YamlAnswer } from './yaml-thread.ts'

function answer(bytes: Uint8Array): YamlAnswer {
  try {
    return yamlToJson(bytes)
  } catch (error) {
    if (isStatus(error, 'BadRequest')) return { refused: error.message }
    return { bug: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

parentPort?.on('message', (bytes: Uint8Array) => parentPort?.postMessage(answer(bytes)))
