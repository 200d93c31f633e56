import { defineKind, READY_COLUMNS, ref, refs } from '#domain/kind.ts'
import { ExternalIds, IpRestrictions } from '#domain/kinds/shared.ts'
import type { Resource } from '#domain/object.ts'
import { exactlyOneOf, s, type Infer } from '#domain/schema.ts'
import { admitRover } from './admit-rover.ts'
import { RoverApiExposure, RoverApiSubscription } from './rover-api.ts'
import { RoverEventExposure, RoverEventSubscription } from './rover-event.ts'

const oneOfBoth = { rules: [exactlyOneOf('api', 'event')] }

const Permission = s.object(
  {},
  {
    role: s.string({ doc: 'A role.' }),
    resource: s.string({ doc: 'A resource.' }),
    actions: s.list(s.string(), { doc: 'What may be done.' }),
    entries: s.list(
      s.object(
        {},
        {
          role: s.string({ doc: 'A role.' }),
          resource: s.string({ doc: 'A resource.' }),
          actions: s.list(s.string(), { doc: 'What may be done.' }),
        },
      ),
      { maxItems: 150, doc: 'Several at once.' },
    ),
  },
)

const Spec = s.object(
  { zone: s.string({ minLength: 1, maxLength: 63, doc: 'Name of the zone the application runs in.' }) },
  {
    ipRestrictions: IpRestrictions,
    authentication: s.object(
      {},
      {
        m2m: s.object(
          {
            tokenRequest: s.oneOf(['client_secret_basic', 'client_secret_post'], {
              default: 'client_secret_basic',
              doc: 'How the application sends its secret.',
            }),
          },
          {},
          { doc: 'Between machines.' },
        ),
      },
      { doc: 'How the application authenticates; a note.' },
    ),
    clientSecret: s.string({
      secret: 'given',
      doc: 'Secret of the application; made by the server when absent. Given to the Application once: a rotation there holds until another one is named here.',
    }),
    exposures: s.list(s.object({}, { api: RoverApiExposure, event: RoverEventExposure }, oneOfBoth), {
      maxItems: 150,
      doc: 'What the application provides.',
    }),
    subscriptions: s.list(s.object({}, { api: RoverApiSubscription, event: RoverEventSubscription }, oneOfBoth), {
      maxItems: 150,
      doc: 'What the application consumes.',
    }),
    permissions: s.list(Permission, { maxItems: 150, doc: 'Permissions of the application; kept, without effect.' }),
    externalIds: ExternalIds,
  },
)
const Part = s.object(
  {
    kind: s.string({ doc: 'Kind of the part.' }),
    name: s.string({ doc: 'Its name.' }),
    ready: s.boolean({ doc: 'Whether it is ready.' }),
  },
  {
    subject: s.string({ doc: 'Its base path or event type.' }),
    reason: s.string({ doc: 'Why it is not ready.' }),
    message: s.string({ doc: 'What is missing.' }),
  },
)

const Status = s.object(
  {},
  {
    application: ref('The application made from it.'),
    apiExposures: refs('The API exposures made from it.'),
    apiSubscriptions: refs('The API subscriptions made from it.'),
    eventExposures: refs('The event exposures made from it.'),
    eventSubscriptions: refs('The event subscriptions made from it.'),
    parts: s.list(Part, { doc: 'How far each part is.' }),
  },
)

export type RoverPart = Infer<typeof Part>
export type RoverSpec = Infer<typeof Spec>
export type RoverStatus = Infer<typeof Status>

export const Rover = defineKind<RoverSpec, RoverStatus>({
  group: 'rover.cp.ei.vendor.de',
  kind: 'Rover',
  plural: 'rovers',
  doc: 'One application and everything it provides and consumes, in one file.',
  spec: s.but(Spec, { doc: 'In which zone the application runs, what it provides and what it consumes.' }),
  status: s.but(Status, { doc: 'What was made from the file, and how far each part is.' }),
  columns: [{ name: 'Zone', type: 'string', path: '.spec.zone' }, ...READY_COLUMNS],
  admit: admitRover,
})
export type Rover = Resource<RoverSpec, RoverStatus>
