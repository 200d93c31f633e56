import { connect, type Socket } from 'node:net'
import { parseReply, type Reply } from './reply.ts'

/** How a request ended: with an answer, with a closed connection, or with nothing for far too long. */
export interface Outcome {
  readonly reply?: Reply
  readonly end: 'answered' | 'closed' | 'silent'
  readonly ms: number
}

export interface Address {
  readonly host: string
  readonly port: number
}

/** An answer may take this long before it counts as none: far longer than any should, on any machine. */
const PATIENCE_MS = 20_000
/** After this long without an answer we say that nothing more will come from us. */
const UNFINISHED_MS = 250

/** Bytes in, the first answer out: one request at a time over a connection that is kept while the server keeps it. */
export class Wire {
  readonly #address: Address
  #socket: Socket | undefined

  constructor(address: Address) {
    this.#address = address
  }

  /** `alone`: over a connection of its own, of which we close our half when no answer comes. */
  async send(request: Buffer, method: string, alone = false): Promise<Outcome> {
    if (alone) return this.#exchange(await open(this.#address), request, method, true)
    this.#socket ??= await open(this.#address)
    return this.#exchange(this.#socket, request, method, false)
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  async #exchange(socket: Socket, request: Buffer, method: string, alone: boolean): Promise<Outcome> {
    const outcome = await exchange(socket, request, method, alone)
    const { reply } = outcome
    const reusable = !alone && reply !== undefined && !reply.streaming && reply.headers.get('connection') !== 'close'
    if (reusable && reply.status !== 101) return outcome
    socket.destroy()
    if (!alone) this.#socket = undefined
    return outcome
  }
}

function open(address: Address): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...address, noDelay: true }, () => {
      socket.off('error', reject)
      resolve(socket)
    })
    socket.once('error', reject)
  })
}

function exchange(socket: Socket, request: Buffer, method: string, alone: boolean): Promise<Outcome> {
  const started = performance.now()
  const parts: Buffer[] = []
  const watches = /[?&/]watch/.test(request.toString('latin1', 0, Math.max(0, request.indexOf('\r\n'))))
  return new Promise((resolve) => {
    const settle = (end: Outcome['end'], reply?: Reply): void => {
      clearTimeout(patience)
      clearTimeout(unfinished)
      socket.removeAllListeners()
      // What still arrives for a request that is over is nobody's concern, and no reason to fail.
      socket.on('error', () => undefined)
      resolve({ end, ms: performance.now() - started, ...(reply !== undefined && { reply }) })
    }
    const look = (ended: boolean): boolean => {
      const reply = parseReply(Buffer.concat(parts), method, ended, watches)
      if (reply !== undefined) settle('answered', reply)
      return reply !== undefined
    }
    // When it is we who were held up, the answer is there and has only not been read.
    const patience = setTimeout(() => setImmediate(() => look(false) || settle('silent')), PATIENCE_MS)
    const unfinished = alone ? setTimeout(() => socket.end(), UNFINISHED_MS) : undefined
    socket.on('data', (chunk: Buffer) => {
      parts.push(chunk)
      look(false)
    })
    socket.on('close', () => look(true) || settle('closed'))
    socket.on('error', () => undefined)
    socket.write(request)
  })
}
