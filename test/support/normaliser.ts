import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { normalize, validate, validateStatus } from '#domain/structural.ts'
import type { Normalise } from './worlds.ts'

/** Completes resources as admission would store them; a world that admission would refuse is a mistake of its author. */
export async function normaliser(kinds: readonly Kind<any, any>[]): Promise<Normalise> {
  return (resource, where) => {
    const kind = [...kinds, ...KINDS].find((k) => k.kind === resource.kind)
    if (kind === undefined) throw new Error(`${where}: kind ${resource.kind} is not known`)
    const { object, unknown } = normalize(kind, { ...resource, apiVersion: apiVersionOf(kind) })
    if (unknown.length > 0) throw new Error(`${where}: unknown field ${unknown.join(', ')}`)
    const wrong = [...validate(kind, object), ...validateStatus(kind, object)][0]
    if (wrong !== undefined) throw new Error(`${where}: ${wrong.field}: ${wrong.message}`)
    return object
  }
}
