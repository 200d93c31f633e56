import { Client } from '#domain/kinds/identity/client.ts'
import { isBorrowed } from '#domain/secret-reference.ts'
import type { World } from './world.ts'

/** What admission answers with a new secret. */
export const NEW_SECRET = 'rotate'

/**
 * Whether a Client that nobody gives a secret any more still refers to the one it was given. That is gone with who gave it,
 * so the Client needs a new one; once it has its own, this no longer holds (§2.5).
 */
export const hasLostSecret = (world: World, namespace: string, name: string): boolean => {
  const client = world.get(Client, { namespace, name })
  return client !== undefined && isBorrowed(client.spec.clientSecret, Client, client)
}

/** The secret the server made for a Client; undefined while there is none. */
export const generatedSecret = (world: World, namespace: string, name: string): string | undefined =>
  world.derive(hasLostSecret, namespace, name) ? undefined : world.get(Client, { namespace, name })?.spec.clientSecret
