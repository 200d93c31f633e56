import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { FrameWriter, readFrames } from '#store/frames.ts'
import { always } from '#test/support/property.ts'

const bytes = fc.option(fc.uint8Array({ maxLength: 300 }), { nil: undefined })
const frame = fc.record(
  {
    revision: fc.maxSafeNat(),
    index: fc.nat(),
    previousRevision: fc.maxSafeNat(),
    previousIndex: fc.nat(),
    key: fc.string({ unit: 'grapheme' }).map((key) => key.toWellFormed()),
    value: bytes,
    previous: bytes,
  },
  { noNullPrototype: true },
)

test('frames come back as they went in, however small the first buffer was', () => {
  always(
    fc.property(fc.array(frame), fc.nat(100), (frames, space) => {
      const writer = new FrameWriter(new ArrayBuffer(space))
      for (const next of frames) writer.add(next)
      assert.deepEqual([...readFrames(writer.buffer, writer.length)], frames)
    }),
  )
})
