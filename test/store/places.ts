import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

/** Paths for stores below one temporary directory, which goes away with the test file. */
export function places(): () => string {
  const directory = mkdtempSync(join(tmpdir(), 'stellwerk-store-'))
  let count = 0
  after(() => rmSync(directory, { recursive: true, force: true }))
  return () => join(directory, `${count++}`, 'store.db')
}

/** A small disk of its own below `directory`; undefined when this user may not mount one. */
export function smallDisk(directory: string, size: string): (() => void) | undefined {
  mkdirSync(directory, { recursive: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', directory], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  return () => execFileSync('umount', ['--lazy', directory])
}
