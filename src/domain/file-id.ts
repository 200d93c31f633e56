import type { Named } from './object.ts'

const PART = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/

/** `<env>--<group>--<team>--<name>` (platform §10); the name may have further hyphens. Undefined for any other text. */
export function parseFileId(id: string): Named | undefined {
  const [environment = '', group = '', team = '', ...rest] = id.split('--')
  const name = rest.join('--')
  if (id.length > 316 || name.length > 253 || ![environment, group, team, name].every((part) => PART.test(part)))
    return undefined
  return { namespace: [environment, group, team].join('--'), name }
}

export const fileIdOf = ({ namespace, name }: Named): string => `${namespace}--${name}`
