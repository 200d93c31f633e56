import { environmentOf, keyOf } from '#domain/environment.ts'
import { Consumer, type ConsumerSpec, type ConsumerStatus } from '#domain/kinds/gateway/consumer.ts'
import { Gateway } from '#domain/kinds/gateway/gateway.ts'
import { isReservedClientId } from '#domain/names.ts'
import { astray, ofEnvironment } from './of-environment.ts'
import { provisioned, waiting, type Planner } from './plan.ts'
import { byAge, defineIndex, indexKey, type View, type World } from './world.ts'

const consumersByName = defineIndex<ConsumerSpec, ConsumerStatus>({
  name: 'consumersByName',
  kind: Consumer,
  keys: ({ metadata, spec }) => [nameKey(environmentOf(metadata.namespace ?? '', metadata.labels), spec)],
})

/** A consumer of another environment is none of the gateway, and so nobody's rival. */
const nameKey = (environment: string, { gateway, name }: ConsumerSpec): string =>
  indexKey(environment, gateway.namespace, gateway.name, name)

/** A gateway knows a consumer as soon as the gateway is there (platform §5.2). */
export const planConsumer: Planner<ConsumerSpec, ConsumerStatus> = (self, world) => {
  const environment = environmentOf(self.namespace, self.labels)
  const wrong = problem(self, world, environment)
  if (wrong !== undefined) return waiting('ValidationFailed', wrong, { status: {} })
  const at = keyOf(self.spec.gateway)
  const gateway = ofEnvironment(world, environment, Gateway, self.spec.gateway)
  if (gateway === undefined) {
    const message =
      astray(world, environment, { kind: Gateway, ref: self.spec.gateway, field: 'spec.gateway' }) ??
      `Gateway ${at} does not exist; create its Zone`
    return waiting('PreconditionNotMet', message, { status: {} })
  }
  if (!gateway.ready) {
    return waiting('PreconditionNotMet', `Gateway ${at} is not ready; see its conditions`, { status: {} })
  }
  return provisioned({ status: {}, reason: 'ConsumerReady', message: 'The consumer is configured' })
}

function problem(self: View<ConsumerSpec>, world: World, environment: string): string | undefined {
  const { name, gateway } = self.spec
  const isHop = self.name === gateway.name && self.namespace === gateway.namespace
  if (isReservedClientId(name) && !isHop) return `The name ${name} is reserved for calls between zones; choose another`
  const first = world
    .list(consumersByName, nameKey(environment, self.spec))
    .filter((c) => !c.deleting)
    .toSorted(byAge)[0]
  if (first === undefined || first.uid === self.uid) return undefined
  return `Consumer ${keyOf(first)} is older and has the name ${name} on the same gateway; choose another name`
}
