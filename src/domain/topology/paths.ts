/** Paths of the event routes before the base path of a preset (§4). The first is the canonical one. */
export const PUBLISH_PATHS: readonly string[] = ['/eventbackend/events/v1', '/eventbackend/publish/v1']

export const publishPath = '/eventbackend/events/v1'

export const callbackPath = (zone: string): string => `/eventbackend-${zone}/callback/v1`

export const replayPath = (zone: string): string => `/eventbackend-${zone}/voyager/v1`

export const replayPaths = (ownZone: string): readonly string[] => ['/eventbackend/voyager/v1', replayPath(ownZone)]

export const ssePath = (eventType: string): string => `/eventbackend/sse/v1/${eventType.toLowerCase()}`
