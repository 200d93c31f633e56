import {
  defineKindWithOptionalSpec,
  ObjectRefSchema,
  READY_COLUMNS,
  ref,
  refs,
  type Admission,
  type Admitted,
  type ResourceOf,
} from '#domain/kind.ts'
import { labelValue } from '#domain/names.ts'
import { label, sameRef } from '#domain/object.ts'
import { atLeastOneOf, exactlyOneOf, type Infer, notTogether, s } from '#domain/schema.ts'
import { aboutDuplicates, advise, quote, when } from '#domain/kinds/advice.ts'
import { withDerivedLabels } from './derived-labels.ts'

const Basic = s.object(
  {
    username: s.string({ minLength: 1, doc: 'User name.' }),
    password: s.string({ minLength: 1, secret: 'given', doc: 'Password.' }),
  },
  {},
  { doc: 'Basic authentication.' },
)

const OAuth2Client = s.object(
  { clientId: s.string({ minLength: 1, doc: 'ID of the client.' }) },
  {
    clientSecret: s.string({ secret: 'given', doc: 'Secret of the client.' }),
    clientKey: s.string({ secret: 'given', doc: 'Private key of the client.' }),
  },
  {
    doc: 'OAuth2 client credentials.',
    rules: [
      notTogether('clientSecret', 'clientKey', 'ClientSecret and ClientKey cannot be used together'),
      atLeastOneOf(['clientSecret', 'clientKey'], 'At least one of clientSecret or clientKey must be provided'),
    ],
  },
)

const MachineToMachine = s.object(
  {},
  {
    basic: Basic,
    client: OAuth2Client,
    scopes: s.list(s.string(), { maxItems: 10, doc: 'OAuth2 scopes added to the last-mile-security token.' }),
  },
  {
    doc: 'Machine-to-machine: how the requestor authenticates at the provider.',
    rules: [
      notTogether('client', 'basic', 'Client and basic authentication cannot be used together'),
      notTogether('scopes', 'basic', 'Scopes and basic authentication cannot be used together'),
      atLeastOneOf(['client', 'basic', 'scopes'], 'At least one of client, basic, or scopes must be provided'),
    ],
  },
)

const Security = s.object(
  {},
  { m2m: MachineToMachine, h2m: s.anything({ doc: 'Human-to-machine: kept as given.' }) },
  { doc: 'Security of the calls.', rules: [exactlyOneOf('m2m', 'h2m')] },
)

const Failover = s.object(
  { zone: refs('Zones to which traffic fails over on error.') },
  {},
  { doc: 'Where traffic goes when the zone fails.' },
)

const Spec = s.object(
  {
    apiBasePath: s.string({ doc: 'Base path of the API subscribed to.' }),
    requestor: s.object({ application: ref('The application that subscribes.') }, {}, { doc: 'Who subscribes.' }),
    traffic: s.object({}, { failover: Failover }, { doc: 'Traffic settings; may be empty.' }),
    zone: s.but(ObjectRefSchema, { doc: 'Zone of the subscription.' }),
  },
  {
    organization: s.string({ doc: 'Organization whose control plane provides the API; absent for this one.' }),
    security: Security,
  },
  { doc: 'Which application subscribes to which API.' },
)

const Status = s.object(
  {},
  {
    approval: ref('The approval of this subscription.'),
    approvalRequest: ref('The request for approval.'),
    consumeRoute: ref('The permission to call the route.'),
    failoverConsumeRoutes: refs('The permissions to call the failover routes.'),
    failoverRoutes: refs('The routes used for failover.'),
    remoteApiSubscription: ref('The subscription in the remote zone.'),
    route: ref('The route through which the API is called.'),
  },
)

/** Declares that an application subscribes to an API, named by its base path (§1.3, §2.4). */
export const ApiSubscription = defineKindWithOptionalSpec({
  group: 'api.cp.ei.vendor.de',
  kind: 'ApiSubscription',
  plural: 'apisubscriptions',
  shortNames: ['apisub'],
  doc: 'Declares that an application subscribes to the API with a base path.',
  spec: Spec,
  status: s.but(Status, {
    doc: 'How far the subscription is: its approval, and the routes through which the application calls.',
  }),
  columns: [
    { name: 'Base Path', type: 'string', path: '.spec.apiBasePath' },
    { name: 'Application', type: 'string', path: '.spec.requestor.application.name' },
    { name: 'Route', type: 'string', path: '.status.route.name', priority: 1 },
    { name: 'Approval', type: 'string', path: '.status.approval.name', priority: 1 },
    { name: 'Zone', type: 'string', path: '.spec.zone.name' },
    ...READY_COLUMNS,
  ],
  admit: admitApiSubscription,
})
export type ApiSubscription = ResourceOf<typeof ApiSubscription>

type SpecOrNone = Infer<typeof Spec> | undefined
type StatusOf = Infer<typeof Status>

function admitApiSubscription(request: Admission<SpecOrNone, StatusOf>): Admitted<SpecOrNone, StatusOf> {
  const object = withDerivedLabels(request, labelsOf)
  return advise<SpecOrNone, StatusOf>(adviceOnApiSubscription)({ ...request, object })
}

/** The same that a Rover gives to those it makes (platform §3.5.1). */
const labelsOf = (spec: SpecOrNone): Readonly<Record<string, string>> =>
  spec === undefined
    ? {}
    : {
        [label('basepath')]: labelValue(spec.apiBasePath),
        [label('zone')]: labelValue(spec.zone.name),
        [label('application')]: labelValue(spec.requestor.application.name),
      }

export function adviceOnApiSubscription(spec: SpecOrNone): readonly string[] {
  if (spec === undefined) return ['spec is absent: nothing is subscribed until it is given']
  const zones = spec.traffic.failover?.zone
  return [
    ...when(
      !spec.apiBasePath.startsWith('/'),
      () => `spec.apiBasePath ${quote(spec.apiBasePath)} does not start with "/": no API can have this base path`,
    ),
    ...when(zones?.length === 0, () => 'spec.traffic.failover.zone is empty: name a zone, or leave failover out'),
    ...when(
      zones?.some((zone) => sameRef(zone, spec.zone)) === true,
      () => "spec.traffic.failover.zone names the subscription's own zone: name another zone",
    ),
    ...aboutDuplicates('spec.security.m2m.scopes', spec.security?.m2m?.scopes),
  ]
}
