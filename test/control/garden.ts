import { controllerOf, type Controller } from '#control/controller.ts'
import { notReady, processing } from '#domain/condition.ts'
import { defineKind, type Kind, type SpecOf } from '#domain/kind.ts'
import { Namespace } from '#domain/kinds/core/namespace.ts'
import { label } from '#domain/object.ts'
import { child, denied, provisioned, waiting, type Child, type Planner } from '#domain/plan/plan.ts'
import { defineAggregate, defineIndex, type World } from '#domain/plan/world.ts'
import { s, type Schema } from '#domain/schema.ts'

/** Kinds made up to exercise the engine: beds in plots, with plants in them, signs elsewhere and wells they share. */
const kind = <Spec, Status>(name: string, spec: Schema<Spec>, status: Schema<Status>): Kind<Spec, Status> =>
  defineKind({
    group: 'garden.test',
    kind: name,
    plural: `${name.toLowerCase()}s`,
    doc: name,
    spec,
    status,
    columns: [],
  })

/** An input: nothing is planned for it. */
export const Plot = kind('Plot', s.object({ soil: s.string() }, { closed: s.boolean() }), s.object({}))
export const Bed = kind(
  'Bed',
  s.object({ plot: s.string(), crops: s.list(s.string()) }, { gone: s.list(s.string()), kept: s.list(s.string()) }),
  s.object({}, { soil: s.string(), neighbours: s.integer(), soils: s.list(s.string()) }),
)
/** Has a default, so that what is stored differs from what was asked for. */
export const Plant = kind('Plant', s.object({ crop: s.string(), height: s.integer({ default: 1 }) }), s.object({}))
export const Sign = kind('Sign', s.object({ text: s.string() }), s.object({}))
export const Well = kind('Well', s.object({ soil: s.string() }), s.object({}))

const bedsByPlot = defineIndex({
  name: 'bedsByPlot',
  kind: Bed,
  keys: (bed) => [`${bed.metadata.namespace}|${bed.spec.plot}`],
})
const soils = defineAggregate({ name: 'soils', kind: Plot, entries: (plot) => [{ key: 'all', value: plot.spec.soil }] })

/** How many beds share a plot, as a derivation: its readers sleep while the number stays the same. */
const bedsIn = (world: World, namespace: string, plot: string): number =>
  world.list(bedsByPlot, `${namespace}|${plot}`).length

const planBed: Planner<SpecOf<typeof Bed>> = (self, world) => {
  const plot = world.get(Plot, { namespace: self.namespace, name: self.spec.plot })
  if (plot === undefined) return waiting('PreconditionNotMet', `There is no plot ${self.spec.plot}`, { status: {} })
  if (plot.spec.closed === true) return denied('AccessDenied', 'The plot is closed', { status: {} })
  const ref = (name: string): { kind: Kind; namespace: string; name: string } => ({
    kind: Plant,
    namespace: self.namespace,
    name: `${self.name}-${name}`,
  })
  const { soil } = plot.spec
  const plants = self.spec.crops.map((crop): Child =>
    child(Plant, {
      namespace: self.namespace,
      name: `${self.name}-${crop}`,
      labels: { [label('crop')]: crop },
      spec: { crop } as { crop: string; height: number },
    }),
  )
  const sign = child(Sign, {
    namespace: 'signs',
    name: `${self.namespace}.${self.name}`,
    spec: { text: `${self.name} on ${soil}` },
  })
  const well = child(Well, { namespace: 'wells', name: soil, spec: { soil } })
  return provisioned({
    children: [...plants, sign, well],
    remove: (self.spec.gone ?? []).map(ref),
    keep: (self.spec.kept ?? []).map(ref),
    status: {
      soil,
      neighbours: world.derive(bedsIn, self.namespace, self.spec.plot),
      soils: [...world.values(soils, 'all')],
    },
  })
}

const settles: Planner = () => provisioned({ status: {} })

/** Weed never gets ready. */
const planPlant: Planner<{ crop: string }> = (self) => {
  if (self.spec.crop !== 'weed') return provisioned({ status: {} })
  const plan = provisioned({ status: {} })
  return { ...plan, conditions: [notReady('Processing', 'It is weed'), processing('Processing', 'It is weed')] }
}

export const GARDEN: readonly Kind[] = [Plot, Bed, Plant, Sign, Well, Namespace]

export const gardeners: readonly Controller[] = [
  controllerOf(Bed, planBed),
  controllerOf(Plant, planPlant),
  controllerOf(Sign, settles),
  controllerOf(Well, settles),
]
