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

/** `ready` says what is not ready yet. A process that answers at all is alive. */
export function healthDocuments(ready: () => string | undefined): Map<string, Document> {
  const alive: Document = { methods: ['GET'], open: true, serve: ({ response }) => sendText(response, 200, 'ok') }
  const readiness: Document = {
    methods: ['GET'],
    open: true,
    serve: ({ response }) => {
      const reason = ready()
      sendText(response, reason === undefined ? 200 : 503, reason ?? 'ok')
    },
  }
  return new Map([
    ['/livez', alive],
    ['/healthz', readiness],
    ['/readyz', readiness],
  ])
}
