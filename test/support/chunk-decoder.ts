/** Takes the framing off a chunked HTTP body as it arrives, whatever the packets' borders are. */
export class ChunkDecoder {
  #head = ''
  #left = 0
  #state: 'size' | 'data' | 'end' = 'size'

  /** The body bytes in this packet. */
  decode(packet: Buffer): Buffer[] {
    const out: Buffer[] = []
    for (let at = 0; at < packet.length;) {
      if (this.#state === 'data') {
        const part = packet.subarray(at, at + this.#left)
        out.push(part)
        at += part.length
        this.#left -= part.length
        if (this.#left === 0) this.#state = 'end'
      } else {
        this.#framing(packet[at++] as number)
      }
    }
    return out
  }

  #framing(byte: number): void {
    if (byte === 13) return
    if (byte !== 10) {
      this.#head += String.fromCharCode(byte)
      return
    }
    if (this.#state === 'end') {
      this.#state = 'size'
      return
    }
    this.#left = Number.parseInt(this.#head, 16)
    this.#head = ''
    this.#state = this.#left > 0 ? 'data' : 'end'
  }
}
