import { sendJson, sendText } from '#apiserver/respond.ts'
import type { Document } from './document.ts'

/**
 * The version of the Kubernetes API we speak, not our own: kubectl's dispatcher picks the client that fits it.
 * Ours is in the suffix.
 */
export function versionDocument(own: string): Document {
  const version = {
    major: '1',
    minor: '32',
    gitVersion: `v1.32.0+stellwerk-${own}`,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: 'none',
    compiler: 'none',
    platform: `${process.platform}/${process.arch}`,
  }
  return { methods: ['GET'], open: true, serve: ({ response }) => sendJson(response, 200, version) }
}

/** What is looked at: undefined when all is well, otherwise what is not. */
type Check = readonly [name: string, problem: () => string | undefined]

/** A process that answers at all is alive. `stopping` says why it soon will not. */
export function healthDocuments(stopping: () => string | undefined): Map<string, Document> {
  const ping: Check = ['ping', () => undefined]
  const ready: readonly Check[] = [ping, ['shutdown', stopping]]
  return new Map([
    ['/livez', healthDocument('livez', [ping])],
    ['/healthz', healthDocument('healthz', ready)],
    ['/readyz', healthDocument('readyz', ready)],
  ])
}

/** `ok`, or what is wrong; with `?verbose` each check on a line of its own, as Kubernetes writes them. */
function healthDocument(name: string, checks: readonly Check[]): Document {
  return {
    methods: ['GET'],
    open: true,
    serve: ({ response, query }) => {
      const results = checks.map(([check, problem]) => ({ check, problem: problem() }))
      const wrong = results.find(({ problem }) => problem !== undefined)
      const lines = results.map(({ check, problem }) =>
        problem === undefined ? `[+]${check} ok` : `[-]${check} failed: ${problem}`,
      )
      const verbose = [...lines, `${name} check ${wrong === undefined ? 'passed' : 'failed'}`, ''].join('\n')
      const text = query.get('verbose') === undefined ? (wrong?.problem ?? 'ok') : verbose
      sendText(response, wrong === undefined ? 200 : 503, text)
    },
  }
}
