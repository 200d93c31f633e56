import { Application } from '#domain/kinds/application/application.ts'
import type { TypedRef } from '#domain/object.ts'
import { notReady, obstacle, type Obstacle, readinessOf } from './obstacle.ts'
import { absent, ofEnvironment } from './of-environment.ts'
import type { World } from './world.ts'

/** What others know of an application. */
export interface Party {
  readonly usable: boolean
  readonly clientId: string
  readonly team: string
  readonly teamEmail: string
}

/** Usable once its client id is known, also while a zone of it is still being served (decisions §4.4). */
export function partyOf(world: World, environment: string, namespace: string, name: string): Party | undefined {
  const app = ofEnvironment(world, environment, Application, { namespace, name })
  if (app === undefined) return undefined
  const clientId = app.status.clientId ?? ''
  const { team, teamEmail } = app.spec
  return { usable: clientId !== '' && readinessOf(app) !== 'unready', clientId, team, teamEmail }
}

/** The application a provider or requestor refers to, or why it cannot be used. */
export function party(world: World, environment: string, field: string, ref: TypedRef): Party | Obstacle {
  if (ref.kind !== undefined && ref.kind !== '' && ref.kind !== Application.kind)
    return obstacle('ValidationFailed', `The ${field} is a ${ref.kind}: let spec.${field} refer to an Application`)
  const found = world.derive(partyOf, environment, ref.namespace, ref.name)
  if (found === undefined) {
    const wanted = { kind: Application, ref, field: `spec.${field}` }
    return absent(world, environment, wanted, `create it or correct spec.${field}`)
  }
  return found.usable ? found : notReady('Application', ref)
}
