import { execFileSync } from 'node:child_process'
import { globSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { findProgram } from './system-parts.ts'

export interface Kubectl {
  readonly path: string
  /** As it says itself, without the leading v: `1.20.2`. */
  readonly version: string
}

/**
 * Every kubectl of this machine, oldest first: the one on PATH, the `kubectl.1.NN` beside it that some distributions
 * ship, and Debian's old one where `.ci/run` unpacked it. STELLWERK_KUBECTLS, a list of paths, replaces the search.
 */
export function findKubectls(): readonly Kubectl[] {
  const wished = process.env['STELLWERK_KUBECTLS']
  const paths = wished === undefined ? searched() : wished.split(delimiter).filter((path) => path !== '')
  const distinct = [...new Set(paths.map((path) => realpathSync(path)))]
  return distinct.map((path) => ({ path, version: versionOf(path) })).toSorted(byVersion)
}

function searched(): readonly string[] {
  const main = findProgram('kubectl')
  const beside = main === undefined ? [] : globSync(join(dirname(realpathSync(main)), 'kubectl.1.[0-9]*'))
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  return [
    ...(main === undefined ? [] : [main]),
    ...beside,
    ...globSync(join(cache, 'stellwerk/kubectl-*/usr/bin/kubectl')),
  ]
}

/** `--client` keeps it from asking a server; the empty kubeconfig keeps out the one of whoever runs the tests. */
function versionOf(path: string): string {
  const env = { ...process.env, KUBECONFIG: '/dev/null' }
  const text = execFileSync(path, ['version', '--client', '--output=json'], { env, encoding: 'utf8', timeout: 30_000 })
  const { clientVersion } = JSON.parse(text) as { clientVersion: { gitVersion: string } }
  return clientVersion.gitVersion.replace(/^v/, '')
}

function byVersion(a: Kubectl, b: Kubectl): number {
  return a.version.localeCompare(b.version, 'en', { numeric: true }) || a.path.localeCompare(b.path, 'en')
}
