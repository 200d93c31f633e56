import { environmentOf, teamOf } from '#domain/environment.ts'
import type { Kind } from '#domain/kind.ts'
import { ApiExposure } from '#domain/kinds/api/api-exposure.ts'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import type { RoverPart, RoverSpec, RoverStatus } from '#domain/kinds/rover/rover.ts'
import { isResourceName } from '#domain/names.ts'
import { byNamespaceAndName, type ObjectRef, refTo } from '#domain/object.ts'
import { zonesWithFailover } from './api-exposure-zones.ts'
import { type ChildRef, type Planner, provisioned, waiting } from './plan.ts'
import { applicationChild } from './rover-application.ts'
import { type Home, type Part, partsOf } from './rover-parts.ts'
import type { View, World } from './world.ts'

type Self = View<RoverSpec, RoverStatus>

/** Platform §2.3: one file is one application and all it provides and consumes. */
export const planRover: Planner<RoverSpec, RoverStatus> = (self, world) => {
  const own = teamOf(self.namespace)
  if (own === undefined) {
    const message = `Namespace ${self.namespace} belongs to no team: move the Rover into <env>--<group>--<team>`
    return waiting('ValidationFailed', message, { status: { ...self.status } })
  }
  const environment = environmentOf(self.namespace, self.labels)
  const home: Home = {
    rover: { namespace: self.namespace, name: self.name },
    environment,
    team: `${own.group}--${own.team}`,
    zone: { name: self.spec.zone, namespace: environment },
    failoverZones: world.derive(zonesWithFailover, environment).map((zone) => zone.name),
  }
  return planned(self, world, home)
}

function planned(self: Self, world: World, home: Home) {
  const all = partsOf(self.spec, home)
  const problem = problemOf(all)
  const parts = all.filter((part, i) => isUsable(part) && all.findIndex((other) => isTwin(other, part)) === i)
  const application = applicationChild(world, self.spec, home)
  const children = [application, ...parts.map((part) => part.child)]
  const status: RoverStatus = {
    application: refTo(application),
    apiExposures: refsOf(parts, ApiExposure),
    apiSubscriptions: refsOf(parts, ApiSubscription),
    eventExposures: refsOf(parts, EventExposure),
    eventSubscriptions: refsOf(parts, EventSubscription),
    parts: [statePart(world, '', application), ...parts.map((part) => statePart(world, part.subject, part.child))],
  }
  // What the file no longer says goes at once: it must not wait for a pending approval elsewhere in the file.
  const made = { children, status, prunesAtOnce: true }
  return problem === undefined ? provisioned(made) : waiting('ValidationFailed', problem, made)
}

const isUsable = ({ child }: Part): boolean => isResourceName(child.name)
const isTwin = (a: Part, b: Part): boolean => a.child.kind === b.child.kind && a.child.name === b.child.name

/** Admission refuses these; a file stored before it did must not make two entries fight over one object. */
function problemOf(parts: readonly Part[]): string | undefined {
  const nameless = parts.find((part) => !isUsable(part))
  if (nameless !== undefined)
    return `"${nameless.text}" in ${nameless.field} makes no name: use letters, digits, hyphens and dots`
  const twin = parts.find((part, i) => parts.findIndex((other) => isTwin(other, part)) !== i)
  return twin && `"${twin.subject}" in ${twin.field} is there twice: remove one of the two entries`
}

const refsOf = (parts: readonly Part[], kind: Kind): readonly ObjectRef[] =>
  parts
    .filter((part) => part.child.kind === kind)
    .map((part) => refTo(part.child))
    .toSorted(byNamespaceAndName)

/** How far one part is, for `kubectl describe`. */
function statePart(world: World, subject: string, { kind, namespace, name }: ChildRef): RoverPart {
  const part = { kind: kind.kind, name, ...(subject !== '' && { subject }) }
  const view = world.get(kind, { namespace, name })
  if (view === undefined) return { ...part, ready: false, reason: 'Processing' }
  if (view.ready) return { ...part, ready: true }
  const last = view.condition('Ready')
  if (last === undefined || last.status === 'True') return { ...part, ready: false, reason: 'Processing' }
  return { ...part, ready: false, reason: last.reason, message: last.message }
}
