/**
 * Writes of the log packed into one buffer, which moves between threads in one piece: a message with a buffer per value
 * would cost more than the write itself.
 */
export interface Frame {
  readonly revision: number
  readonly index: number
  /** The write this one replaced; revision 0 when there was none. */
  readonly previousRevision: number
  readonly previousIndex: number
  readonly key: string
  /** undefined: the key was deleted. */
  readonly value: Uint8Array | undefined
  readonly previous: Uint8Array | undefined
}

/** revision, previous revision: 8 bytes each; two positions and three lengths: 4 bytes each. */
const HEADER = 36
const NONE = 0xffff_ffff

export class FrameWriter {
  #bytes: Buffer
  #length = 0

  /** Writes into `space` as long as it suffices. */
  constructor(space: ArrayBuffer = new ArrayBuffer(1 << 16)) {
    this.#bytes = Buffer.from(space)
  }

  get length(): number {
    return this.#length
  }

  get buffer(): ArrayBuffer {
    return this.#bytes.buffer as ArrayBuffer
  }

  add({ revision, index, previousRevision, previousIndex, key, value, previous }: Frame): void {
    const most = HEADER + key.length * 3 + (value?.length ?? 0) + (previous?.length ?? 0)
    if (this.#length + most > this.#bytes.length) this.#grow(this.#length + most)
    const bytes = this.#bytes
    const start = this.#length
    const keyLength = bytes.write(key, start + HEADER)
    bytes.writeDoubleLE(revision, start)
    bytes.writeDoubleLE(previousRevision, start + 8)
    bytes.writeUInt32LE(index, start + 16)
    bytes.writeUInt32LE(previousIndex, start + 20)
    bytes.writeUInt32LE(keyLength, start + 24)
    bytes.writeUInt32LE(value ? value.length : NONE, start + 28)
    bytes.writeUInt32LE(previous ? previous.length : NONE, start + 32)
    let end = start + HEADER + keyLength
    if (value) bytes.set(value, end)
    end += value?.length ?? 0
    if (previous) bytes.set(previous, end)
    this.#length = end + (previous?.length ?? 0)
  }

  #grow(atLeast: number): void {
    const larger = Buffer.from(new ArrayBuffer(Math.max(atLeast, this.#bytes.length * 2)))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
  }
}

/** The frames in order; values are views of `buffer`. */
export function* readFrames(buffer: ArrayBuffer, length: number): Generator<Frame> {
  const bytes = Buffer.from(buffer, 0, length)
  for (let start = 0; start < length;) {
    const keyEnd = start + HEADER + bytes.readUInt32LE(start + 24)
    const valueLength = bytes.readUInt32LE(start + 28)
    const previousLength = bytes.readUInt32LE(start + 32)
    const valueEnd = keyEnd + (valueLength === NONE ? 0 : valueLength)
    const end = valueEnd + (previousLength === NONE ? 0 : previousLength)
    yield {
      revision: bytes.readDoubleLE(start),
      previousRevision: bytes.readDoubleLE(start + 8),
      index: bytes.readUInt32LE(start + 16),
      previousIndex: bytes.readUInt32LE(start + 20),
      key: bytes.toString('utf8', start + HEADER, keyEnd),
      value: valueLength === NONE ? undefined : new Uint8Array(buffer, keyEnd, valueLength),
      previous: previousLength === NONE ? undefined : new Uint8Array(buffer, valueEnd, previousLength),
    }
    start = end
  }
}
