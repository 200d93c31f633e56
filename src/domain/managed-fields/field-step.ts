import { isObject } from '#domain/structural-object.ts'
import { HERE, type FieldSet } from './field-set.ts'

export const fieldStep = (name: string): string => `f:${name}`
export const valueStep = (value: unknown): string => `v:${scalarText(value)}`

/** The step to the item of a list; undefined when one of the keys is missing. `keys` are in alphabetical order. */
export function itemStep(keys: readonly ItemKey[], item: unknown): string | undefined {
  if (!isObject(item)) return undefined
  let text = ''
  for (const { name, fallback } of keys) {
    const value = Object.hasOwn(item, name) ? (item[name] ?? fallback) : fallback
    if (value === undefined || typeof value === 'object') return undefined
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${scalarText(value)}`
  }
  return `k:{${text}}`
}

/** A key of the items of a list, and what it is when it is left out. */
export interface ItemKey {
  readonly name: string
  readonly fallback: unknown
}

const scalarText = (value: unknown): string => (typeof value === 'bigint' ? String(value) : JSON.stringify(value))

/** A path as Kubernetes prints it: `.status.conditions[type="Ready"].status`. */
export const pathText = (path: readonly string[]): string => path.map(stepText).join('')

function stepText(step: string): string {
  const rest = step.slice(2)
  if (step.startsWith('f:')) return `.${rest}`
  if (step.startsWith('v:')) return `[=${rest}]`
  if (step.startsWith('i:')) return `[${rest}]`
  const keys = Object.entries(JSON.parse(rest) as Readonly<Record<string, unknown>>)
  return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}]`
}

/** More than any object has fields: what a client sends as a set is kept with the object. */
const MAX_STEPS = 20_000

/** What is wrong with a set a client sent, in words that fit after "Invalid value"; undefined when it is one. */
export function setProblem(value: unknown): string | undefined {
  const budget = { left: MAX_STEPS }
  if (!isObject(value)) return 'must be an object'
  if (Object.hasOwn(value, HERE)) return 'must not hold the object itself'
  return placeProblem(value, budget)
}

function placeProblem(value: Readonly<Record<string, unknown>>, budget: { left: number }): string | undefined {
  for (const step of Object.keys(value)) {
    const place = value[step]
    if (--budget.left < 0) return `must have at most ${MAX_STEPS} fields`
    if (!isObject(place)) return `must have an object at ${shown(step)}`
    const problem = step === HERE ? (isBare(place) ? undefined : 'must have nothing below "."') : stepProblem(step)
    const below = problem ?? placeProblem(place, budget)
    if (below !== undefined) return below
  }
  return undefined
}

const isBare = (place: object): boolean => Object.keys(place).length === 0
const shown = (step: string): string => JSON.stringify(step.length > 100 ? `${step.slice(0, 100)}…` : step)

function stepProblem(step: string): string | undefined {
  const rest = step.slice(2)
  if (step.startsWith('f:')) return undefined
  if (step.startsWith('i:')) return /^(0|[1-9]\d{0,9})$/.test(rest) ? undefined : `has no index in ${shown(step)}`
  const value = step.startsWith('k:') || step.startsWith('v:') ? parsed(rest) : undefined
  if (step.startsWith('v:') && value !== undefined) return undefined
  if (step.startsWith('k:') && isObject(value) && !isBare(value)) return undefined
  return `has the unknown step ${shown(step)}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** A set a client sent, once `setProblem` found nothing. */
export const asFieldSet = (value: unknown): FieldSet => value as FieldSet
