import { label, type Named } from './object.ts'

export const ENVIRONMENT_LABEL = label('environment')

/**
 * The environment an object belongs to: what stands before the first `--` of its namespace, whatever a label says
 * (a label must never open another environment); elsewhere the label, else the namespace itself.
 */
export function environmentOf(namespace: string, labels?: Readonly<Record<string, string>>): string {
  const cut = namespace.indexOf('--')
  if (cut > 0) return namespace.slice(0, cut)
  return labels?.[ENVIRONMENT_LABEL] || namespace
}

/** The namespace that holds everything of a zone: `<env>--<zone>`, lower case. */
export const zoneNamespace = (environment: string, zone: string): string => `${environment}--${zone}`.toLowerCase()

/** Splits a team namespace `<env>--<group>--<team>`; undefined for any other form. */
export function teamOf(namespace: string): { environment: string; group: string; team: string } | undefined {
  const parts = namespace.split('--')
  const [environment, group, team] = parts
  if (parts.length !== 3 || !environment || !group || !team) return undefined
  return { environment, group, team }
}

/** The display key of an object in messages: `namespace/name`. */
export const keyOf = (o: Named): string => (o.namespace === '' ? o.name : `${o.namespace}/${o.name}`)
