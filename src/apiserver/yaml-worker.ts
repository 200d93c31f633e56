/** The thread that reads and writes YAML: that would hold up the event loop that serves everybody. */
import { parentPort } from 'node:worker_threads'
import { isStatus } from '#domain/errors.ts'
import { encodeYaml } from './encode-yaml.ts'
import { lowerPriority } from './lower-priority.ts'
import { readDescription } from './openapi/read-description.ts'
import { yamlToJson } from './parse-yaml.ts'
import type { YamlAnswer, YamlQuestion, YamlTasks } from './yaml-thread.ts'

const TASKS: { readonly [T in keyof YamlTasks]: (bytes: Uint8Array) => YamlTasks[T] } = {
  read: yamlToJson,
  write: encodeYaml,
  describe: readDescription,
}

function answer({ id, task, bytes }: YamlQuestion): YamlAnswer {
  try {
    return { id, result: TASKS[task](bytes) }
  } catch (error) {
    if (isStatus(error, 'BadRequest')) return { id, refused: error.message }
    return { id, bug: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

lowerPriority()
parentPort?.on('message', (question: YamlQuestion) => parentPort?.postMessage(answer(question)))
