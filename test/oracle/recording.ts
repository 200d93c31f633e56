import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One request and what a kube-apiserver (1.26.4, kinds served from CRDs) answered to it. */
export interface Recording {
  readonly id: string
  readonly title: string
  readonly request: {
    readonly method: string
    /** `{{name}}` stands for a value captured from an earlier answer. */
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    /** An object is sent as JSON, text as it stands. */
    readonly body?: unknown
    /** Whose token goes along; the administrator's unless said. */
    readonly auth?: 'none' | 'invalid'
  }
  readonly response: {
    /** 0: the connection closed without an answer. */
    readonly status: number
    readonly contentType: string | null
    readonly warning: readonly string[] | null
    readonly allow?: string
    readonly retryAfter?: string
    readonly body: unknown
  }
  /** Names for values of the answer, by the path to them. */
  readonly capture?: Readonly<Record<string, string>>
  /** A mistake of kube-apiserver that nobody should repeat. */
  readonly knownDefect?: string
  readonly note?: string
  readonly watch?: boolean
  /** The order of the items meant nothing. */
  readonly unordered?: boolean
  /** Why `body` is only a part of what was sent. */
  readonly trimmed?: string
}

/** In the order they have to be played: they build on each other. */
export const loadRecordings = (): readonly Recording[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'recordings.json'), 'utf8')) as readonly Recording[]

/** `list-012` belongs to `list`. */
export const topicOf = ({ id }: Recording): string => id.replace(/-\d+$/, '')
