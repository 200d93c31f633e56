import { badRequest } from '#domain/errors.ts'

/** The parameters of a URL, decoded once. The first value of a repeated parameter counts, as everywhere in Kubernetes. */
export interface Query {
  get(name: string): string | undefined
  all(name: string): readonly string[]
}

const EMPTY: Query = { get: () => undefined, all: () => [] }

/** A URL longer than this is refused by the header limit anyway; more parameters than this are nobody's honest request. */
const MOST_PARAMETERS = 100

/** `search` is what follows the question mark. @throws StatusError when an escape is broken */
export function parseQuery(search: string): Query {
  if (search === '') return EMPTY
  const values = new Map<string, string[]>()
  const parts = search.split('&', MOST_PARAMETERS + 1)
  if (parts.length > MOST_PARAMETERS) throw badRequest(`more than ${MOST_PARAMETERS} query parameters`)
  for (const part of parts) {
    if (part === '') continue
    const cut = part.indexOf('=')
    const name = decode(cut === -1 ? part : part.slice(0, cut))
    const value = cut === -1 ? '' : decode(part.slice(cut + 1))
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  return { get: (name) => values.get(name)?.[0], all: (name) => values.get(name) ?? [] }
}

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw badRequest(`the query parameter ${JSON.stringify(text)} has a broken percent escape`)
  }
}
