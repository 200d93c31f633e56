import type { Column } from './kind.ts'
import { isObject } from './structural-object.ts'
import { epochMillis } from './validate-format.ts'

/** A cell of a Table as it is sent; null when the object has nothing there. */
export type Cell = string | number | boolean | null

/** Reads one column of one object. `now` (milliseconds since 1970) turns a date into an age. */
export type ReadCell = (object: unknown, now: number) => Cell

const cache = new WeakMap<Column, ReadCell>()

export function cellOf(column: Column, object: unknown, now: number): Cell {
  const known = cache.get(column)
  if (known !== undefined) return known(object, now)
  const steps = parsePath(column.path)
  const value = column.value ?? ((given: unknown) => valueAt(steps, given))
  const read: ReadCell = (given, at) => asCell(column.type, value(given), at)
  cache.set(column, read)
  return read(object, now)
}

/** The first value at a path of the subset `.a.b`, `['a.b']`, `[0]`, `[?(@.type=="Ready")]`; undefined when absent. */
export const readPath = (path: string, object: unknown): unknown => valueAt(parsePath(path), object)

type Step =
  | { readonly is: 'key'; readonly key: string }
  | { readonly is: 'index'; readonly index: number }
  | { readonly is: 'filter'; readonly key: string; readonly value: string }

const STEP =
  /\.((?:[^.[\]\\]|\\.)+)|\[(-?\d+)\]|\[(?:'([^']*)'|"([^"]*)")\]|\[\?\(\s*@\.([\w-]+)\s*==\s*(?:"([^"]*)"|'([^']*)')\s*\)\]/y

/** @throws SyntaxError for anything outside the subset: columns are ours, so that is a mistake in a kind. */
export function parsePath(path: string): readonly Step[] {
  const steps: Step[] = []
  let at = 0
  while (at < path.length) {
    STEP.lastIndex = at
    const match = STEP.exec(path)
    if (match === null) throw new SyntaxError(`column path ${path} is not understood at "${path.slice(at)}"`)
    steps.push(stepOf(match))
    at = STEP.lastIndex
  }
  return steps
}

function stepOf([, name, index, single, double, filter, ...value]: readonly (string | undefined)[]): Step {
  if (index !== undefined) return { is: 'index', index: Number(index) }
  if (filter !== undefined) return { is: 'filter', key: filter, value: value[0] ?? value[1] ?? '' }
  return { is: 'key', key: name?.replace(/\\(.)/g, '$1') ?? single ?? double ?? '' }
}

function valueAt(steps: readonly Step[], object: unknown): unknown {
  let value = object
  for (const step of steps) {
    if (step.is === 'key') value = isObject(value) && Object.hasOwn(value, step.key) ? value[step.key] : undefined
    else if (!Array.isArray(value)) return undefined
    else if (step.is === 'index') value = value.at(step.index)
    else value = value.find((item: unknown) => isObject(item) && item[step.key] === step.value)
    if (value === undefined || value === null) return undefined
  }
  return value
}

function asCell(type: Column['type'], value: unknown, now: number): Cell {
  if (value === undefined) return null
  if (type === 'date') return typeof value === 'string' ? age(epochMillis(value), now) : null
  if (type === 'string') return typeof value === 'string' ? value : textOf(value)
  if (typeof value === 'bigint') return Number(value)
  return typeof value === (type === 'integer' ? 'number' : 'boolean') ? (value as Cell) : null
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? String(item) : item))
}

function age(since: number | undefined, now: number): string {
  return since === undefined ? '<invalid>' : humanDuration(now - since)
}

/** A duration as kubectl writes it: two units while they matter (`5m30s`, `3h20m`, `2d4h`, `2y15d`), then one. */
export function humanDuration(millis: number): string {
  const seconds = Math.floor(millis / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's')
  const hours = Math.floor(minutes / 60)
  if (hours < 3) return `${minutes}m`
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (hours < 24 * 8) return two(days, 'd', hours % 24, 'h')
  if (days < 365 * 2) return `${days}d`
  const years = Math.floor(days / 365)
  return years < 8 ? two(years, 'y', days % 365, 'd') : `${years}y`
}

const two = (a: number, unitOfA: string, b: number, unitOfB: string): string =>
  b === 0 ? `${a}${unitOfA}` : `${a}${unitOfA}${b}${unitOfB}`
