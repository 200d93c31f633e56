/** The thread that reads and writes YAML: that would hold up the event loop that serves everybody. */
import { parentPort } from 'node:worker_threads'
import { isStatus } from '#domain/errors.ts'
import { lowerPriority } from './lower-priority.ts'
import type { YamlAnswer, YamlQuestion, YamlTasks } from './yaml-thread.ts'

// Before anything else is loaded: that takes longer than most of what is read.
lowerPriority()
const { encodeYaml } = await import('./encode-yaml.ts')
const { readDescription } = await import('./openapi/read-description.ts')
const { yamlToJson } = await import('./parse-yaml.ts')

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

parentPort?.on('message', (question: YamlQuestion) => parentPort?.postMessage(answer(question)))
