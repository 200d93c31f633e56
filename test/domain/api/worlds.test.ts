import { apiControllers } from '#controllers/api.ts'
import { golden } from '#test/support/golden.ts'

const FOLDERS: Readonly<Record<string, string>> = {
  Api: 'api',
  ApiCategory: 'api-category',
  ApiExposure: 'api-exposure',
  ApiSpecification: 'api-specification',
  ApiSubscription: 'api-subscription',
  EventSpecification: 'event-specification',
  RemoteApiSubscription: 'remote-api-subscription',
  Rover: 'rover',
}

for (const { kind, planner } of apiControllers()) golden(FOLDERS[kind.kind]!, planner, kind)
