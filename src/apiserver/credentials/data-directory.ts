import { accessSync, chmodSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { reasonOf, StartError } from '#apiserver/start-error.ts'

export interface DataDirectory {
  readonly path: string
  release(): void
}

/** Takes the directory for this process alone, creating it if need be. @throws StartError */
export function openDataDirectory(given: string): DataDirectory {
  const path = resolve(given)
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new StartError(`the data directory ${path} cannot be used: ${reasonOf(error)}`)
  }
  const lock = takeLock(path)
  const pidFile = join(path, 'server.pid')
  const release = (): void => {
    rmSync(pidFile, { force: true })
    lock.close()
  }
  try {
    writeFileSync(pidFile, `${process.pid}\n`)
  } catch (error) {
    release()
    throw new StartError(`${pidFile} cannot be written: ${reasonOf(error)}`)
  }
  return { path, release }
}

/**
 * A lock of the operating system, which ends with the process however it ends; SQLite is the part of Node that can take
 * one. The file stays empty.
 */
function takeLock(directory: string): DatabaseSync {
  const path = join(directory, 'lock')
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { timeout: 0 })
    chmodSync(path, 0o600)
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database?.close()
    if (error instanceof Error && /locked|busy/.test(error.message)) throw inUse(directory)
    throw new StartError(`the data directory ${directory} cannot be locked: ${reasonOf(error)}`)
  }
}

function inUse(directory: string): StartError {
  const pid = ownerOf(directory)
  const who = pid === undefined ? 'another process' : `another process (${pid})`
  return new StartError(
    `the data directory ${directory} is in use by ${who}: stop it, or choose another one with --data`,
  )
}

function ownerOf(directory: string): string | undefined {
  try {
    const pid = readFileSync(join(directory, 'server.pid'), 'utf8').trim()
    return /^\d+$/.test(pid) ? pid : undefined
  } catch {
    return undefined
  }
}
