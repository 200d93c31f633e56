import type { Kind } from '#domain/kind.ts'
import type { Normalise } from './worlds.ts'

/** Completes resources of the given kinds as admission would store them. */
export async function normaliser(_kinds: readonly Kind<any, any>[]): Promise<Normalise> {
  return (resource) => resource
}
