import { s } from '#domain/schema.ts'

/** How events reach a subscriber (§2.7): as people ask for it, in Rover files too, and as the backend is told. */
export const Delivery = s.object(
  {
    payload: s.oneOf(['Data', 'DataRef'], {
      default: 'Data',
      doc: 'Whether the data itself or a reference to it is delivered.',
    }),
    type: s.oneOf(['Callback', 'ServerSentEvent'], {
      default: 'Callback',
      doc: 'Callback pushes events to an address; ServerSentEvent offers a live stream.',
    }),
  },
  {
    callback: s.uri({ doc: 'The address events are pushed to; needed for Callback.' }),
    circuitBreakerOptOut: s.boolean({ doc: 'Keep delivering even when the subscriber fails again and again.' }),
    enforceGetHttpRequestMethodForHealthCheck: s.boolean({ doc: 'Check the health of the subscriber with GET.' }),
    eventRetentionTime: s.string({ doc: 'How long undelivered events are kept: 7d, 5d, 3d, 1d or 1h.' }),
    redeliveriesPerSecond: s.integer({ doc: 'How fast events are sent again after a failure.' }),
    retryableStatusCodes: s.list(s.integer(), { doc: 'HTTP status codes after which delivery is tried again.' }),
  },
  { doc: 'How events reach the subscriber; may be empty.' },
)
