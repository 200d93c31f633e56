/** The thread that owns the database: a sync to disk never holds up the event loop that serves requests. */
import { flushCompileCache } from 'node:module'
import { parentPort } from 'node:worker_threads'
import { LogDatabase } from './log-database.ts'
import { failureOf } from './sqlite-errors.ts'
import type { Answer, Opening, Question, WorkerStart } from './sqlite-messages.ts'

const port = parentPort!

function send(message: Answer | Opening, buffers: readonly ArrayBuffer[] = []): void {
  port.postMessage(message, [...buffers])
}

function start(options: WorkerStart): void {
  let database: LogDatabase | undefined
  try {
    database = new LogDatabase(options)
    for (const chunk of database.load()) {
      const buffers = [chunk.keys.buffer, chunk.values.buffer]
      send({ type: 'chunk', chunk }, buffers as ArrayBuffer[])
    }
    serve(database)
  } catch (error) {
    database?.close()
    send({ type: 'failed', failure: failureOf(error) })
  }
}

function serve(database: LogDatabase): void {
  port.on('message', (question: Question) => answer(database, question))
  send({ type: 'ready', revision: database.revision, floor: database.floor })
  // At exit would be too late for a process that is killed.
  flushCompileCache()
}

function answer(database: LogDatabase, question: Question): void {
  try {
    if (question.type === 'commit') {
      database.commit(question.frames, question.length)
      send({ type: 'committed', frames: question.frames }, [question.frames])
    } else if (question.type === 'read') {
      answerRead(database, question)
    } else if (question.type === 'trim') {
      send({ type: 'trimmed', ...database.trim(question.until, question.olderThan) })
    } else {
      database.close()
      send({ type: 'closed' })
      port.close()
    }
  } catch (error) {
    send({ type: 'failed', failure: failureOf(error) })
  }
}

function answerRead(database: LogDatabase, { after, until, prefix }: Extract<Question, { type: 'read' }>): void {
  const result = database.read(after, until, prefix)
  if (!result) return send({ type: 'compacted', floor: database.floor })
  const { frames, complete } = result
  send({ type: 'read', frames: frames.buffer, length: frames.length, complete }, [frames.buffer])
}

port.once('message', start)
