import { environmentOf, keyOf } from '#domain/environment.ts'
import type { Kind, SpecOf, StatusOf } from '#domain/kind.ts'
import type { Named } from '#domain/object.ts'
import { missing, type Obstacle, unmet } from './obstacle.ts'
import type { View, World } from './world.ts'

/** Labels are looked at only where the namespace names no environment. */
const environmentOfView = (view: View<any, any>): string =>
  view.namespace.indexOf('--') > 0 ? environmentOf(view.namespace) : environmentOf(view.namespace, view.labels)

/** The object a reference names. Another environment's counts as none (event-domain §0.2). */
export function ofEnvironment<K extends Kind>(
  world: World,
  environment: string,
  kind: K,
  ref: Named,
): View<SpecOf<K>, StatusOf<K>> | undefined {
  const found = world.get(kind, ref)
  return found !== undefined && environmentOfView(found) === environment ? found : undefined
}

/** The environment of what a reference names, where that is another one. */
export function otherEnvironment(world: World, environment: string, kind: Kind, ref: Named): string | undefined {
  const found = world.get(kind, ref)
  const cut = ref.namespace.indexOf('--')
  const other = found === undefined ? (cut > 0 ? environmentOf(ref.namespace) : environment) : environmentOfView(found)
  return other === environment ? undefined : other
}

interface Reference {
  readonly kind: Kind
  readonly ref: Named
  /** Where it stands: `spec.zone`. */
  readonly field: string
}

/** That a reference leads into another environment, and what to do; undefined when it does not. */
export function astray(world: World, environment: string, { kind, ref, field }: Reference): string | undefined {
  const other = otherEnvironment(world, environment, kind, ref)
  return other === undefined ? undefined : leadsTo(other, environment, { kind, ref, field })
}

/** Why what a reference names cannot be used here; `remedy` is for where it does not exist at all. */
export function absent(world: World, environment: string, reference: Reference, remedy: string): Obstacle {
  const message = astray(world, environment, reference)
  return message === undefined ? missing(reference.kind.kind, reference.ref, remedy) : unmet(message)
}

export const leadsTo = (other: string, environment: string, { kind: { kind }, ref, field }: Reference): string =>
  `${kind} ${keyOf(ref)} is in environment ${other}, not ${environment}: let ${field} name one of ${environment}`
