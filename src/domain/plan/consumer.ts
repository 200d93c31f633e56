import { keyOf } from '#domain/environment.ts'
import { Consumer, type ConsumerSpec, type ConsumerStatus } from '#domain/kinds/gateway/consumer.ts'
import { Gateway } from '#domain/kinds/gateway/gateway.ts'
import { isReservedClientId } from '#domain/names.ts'
import { provisioned, waiting, type Planner } from './plan.ts'
import { byAge, defineIndex, indexKey, type View, type World } from './world.ts'

const consumersByName = defineIndex<ConsumerSpec, ConsumerStatus>({
  name: 'consumersByName',
  kind: Consumer,
  keys: ({ spec }) => [nameKey(spec)],
})

const nameKey = ({ gateway, name }: ConsumerSpec): string => indexKey(gateway.namespace, gateway.name, name)

/** A gateway knows a consumer as soon as the gateway is there (platform §5.2). */
export const planConsumer: Planner<ConsumerSpec, ConsumerStatus> = (self, world) => {
  const wrong = problem(self, world)
  if (wrong !== undefined) return waiting('ValidationFailed', wrong, { status: {} })
  const at = keyOf(self.spec.gateway)
  const gateway = world.get(Gateway, self.spec.gateway)
  if (gateway === undefined) {
    return waiting('PreconditionNotMet', `Gateway ${at} does not exist; create its Zone`, { status: {} })
  }
  if (!gateway.ready) {
    return waiting('PreconditionNotMet', `Gateway ${at} is not ready; see its conditions`, { status: {} })
  }
  return provisioned({ status: {}, reason: 'ConsumerReady', message: 'The consumer is configured' })
}

function problem(self: View<ConsumerSpec>, world: World): string | undefined {
  const { name, gateway } = self.spec
  const isHop = self.name === gateway.name && self.namespace === gateway.namespace
  if (isReservedClientId(name) && !isHop) return `The name ${name} is reserved for calls between zones; choose another`
  const first = world
    .list(consumersByName, nameKey(self.spec))
    .filter((c) => !c.deleting)
    .toSorted(byAge)[0]
  if (first === undefined || first.uid === self.uid) return undefined
  return `Consumer ${keyOf(first)} is older and has the name ${name} on the same gateway; choose another name`
}
