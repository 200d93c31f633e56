import { s, type Infer } from '#domain/schema.ts'

export const Limits = s.object(
  {},
  {
    second: s.integer({ minimum: 0, doc: 'Calls per second.' }),
    minute: s.integer({ minimum: 0, doc: 'Calls per minute.' }),
    hour: s.integer({ minimum: 0, doc: 'Calls per hour.' }),
  },
  { doc: 'How many calls are let through; 0 or absent: no limit.' },
)

export const RateLimitOptions = s.object(
  {
    hideClientHeaders: s.boolean({ default: false, doc: 'Do not tell callers how much is left.' }),
    faultTolerant: s.boolean({ default: true, doc: 'Let calls pass while the counters cannot be reached.' }),
  },
  {},
  { doc: 'How the limit is applied.' },
)

export const RateLimit = s.object(
  { limits: Limits },
  { options: RateLimitOptions },
  { doc: 'Limit of calls to the upstream.' },
)

export const SubscriberRateLimit = s.object(
  {},
  {
    default: s.object({ limits: Limits }, {}, { doc: 'For every subscriber without an own entry.' }),
    overrides: s.list(
      s.object({ subscriber: s.string({ minLength: 1, doc: 'Client id of the subscriber.' }), limits: Limits }),
      { maxItems: 10, doc: 'For single subscribers.' },
    ),
  },
  { doc: 'Limits per subscriber.' },
)

export const CircuitBreaker = s.object(
  { enabled: s.boolean({ default: false, doc: 'Whether failing upstreams are spared for a while.' }) },
  {},
  { doc: 'Protects a failing upstream.' },
)

const Headers = s.object(
  {},
  {
    remove: s.list(s.string({ minLength: 1 }), { maxItems: 20, doc: 'Headers not passed on.' }),
    add: s.list(s.string({ minLength: 1 }), { maxItems: 20, doc: 'Kept for compatibility; has no effect.' }),
  },
  { doc: 'Request headers.' },
)

export const Transformation = s.object(
  {},
  { request: s.object({}, { headers: Headers }, { doc: 'Changes to the request.' }) },
  { doc: 'What the gateway changes before it forwards.' },
)

export type Limits = Infer<typeof Limits>
export type Transformation = Infer<typeof Transformation>
