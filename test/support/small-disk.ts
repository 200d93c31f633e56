import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'

/** A small disk of its own at `directory`, and how to take it away; undefined when this user may not mount one. */
export function smallDisk(directory: string, size: string): (() => void) | undefined {
  mkdirSync(directory, { recursive: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', directory], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  return () => execFileSync('umount', ['--lazy', directory])
}
