import type { IncomingMessage } from 'node:http'
import { badRequest, StatusError } from '#domain/errors.ts'

export const LARGEST_BODY = 3 * 1024 * 1024

/** Room for the bodies that are being received, shared by all requests. */
export interface BodyBudget {
  /** @throws StatusError TooManyRequests when the room is used up */
  take(bytes: number): void
  give(bytes: number): void
}

const EMPTY = new Uint8Array(0)

/**
 * Receives the body of a request. A body beyond the limit is refused as soon as that is known: what is still under way
 * is not read, and the answer closes the connection.
 * @throws StatusError RequestEntityTooLarge, TooManyRequests, BadRequest when the caller goes away half-way
 */
export function readBody(request: IncomingMessage, budget: BodyBudget, limit = LARGEST_BODY): Promise<Uint8Array> {
  const announced = request.headers['content-length']
  if (announced === '0' || (announced === undefined && request.headers['transfer-encoding'] === undefined)) {
    return Promise.resolve(EMPTY)
  }
  if (announced !== undefined && Number(announced) > limit) return Promise.reject(tooLarge(limit))
  return receive(request, budget, limit)
}

function receive(request: IncomingMessage, budget: BodyBudget, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = (finish: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
      budget.give(size)
      finish()
    }
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      try {
        budget.take(chunk.length)
      } catch (error) {
        size -= chunk.length
        return settle(() => reject(pausing(request, error)))
      }
      if (size > limit) return settle(() => reject(pausing(request, tooLarge(limit))))
      chunks.push(chunk)
    }
    const onEnd = (): void => settle(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    const onClose = (): void => settle(() => reject(badRequest('the connection closed before the body was complete')))
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
}

function pausing(request: IncomingMessage, error: unknown): unknown {
  request.pause()
  return error
}

const tooLarge = (limit: number): StatusError =>
  new StatusError('RequestEntityTooLarge', `the request body is larger than the limit of ${limit} bytes`)
