import type { ResponseFilter } from './trigger.ts'

interface Shape {
  readonly include: boolean
  readonly paths: readonly string[]
}

/** A scope without paths shows all fields of its events: it excludes nothing (decisions §8.21). */
function shapeOf(filter: ResponseFilter | undefined): Shape {
  const paths = filter?.paths ?? []
  return { include: paths.length > 0 && filter?.mode !== 'Exclude', paths }
}

const pathsOf = (shapes: readonly Shape[]): readonly string[] => [...new Set(shapes.flatMap((shape) => shape.paths))]

/**
 * The fields several scopes show together (decisions §4.8). What one of them hides and none of them shows stays hidden.
 * Undefined when nothing is removed.
 */
export function together(filters: readonly (ResponseFilter | undefined)[]): ResponseFilter | undefined {
  const shapes = filters.map(shapeOf)
  const included = pathsOf(shapes.filter((shape) => shape.include))
  if (shapes.length > 0 && shapes.every((shape) => shape.include)) return { mode: 'Include', paths: included }

  const hidden = pathsOf(shapes.filter((shape) => !shape.include)).filter((path) => !included.includes(path))
  return hidden.length > 0 ? { mode: 'Exclude', paths: hidden } : undefined
}
