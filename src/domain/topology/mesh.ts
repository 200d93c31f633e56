/** Which zones an EventConfig lets its zone reach (§2.5). */
export interface Mesh {
  readonly fullMesh: boolean
  readonly zoneNames: readonly string[]
}

/** What the topology rules know of an EventConfig: only what its spec says (decisions §4.3). */
export interface Member {
  /** The zone it configures. */
  readonly zone: string
  /** The backend zone of a proxy EventConfig; undefined for a local one. */
  readonly target: string | undefined
  readonly mesh: Mesh
  /** Whether the zone runs a replay backend itself. */
  readonly replay: boolean
}

interface MeshSpec {
  readonly fullMesh?: boolean | undefined
  readonly zoneNames?: readonly string[] | undefined
}

const FULL: Mesh = { fullMesh: true, zoneNames: [] }

/** §2.5: an omitted mesh is a full one; names count only without `fullMesh`. */
export function meshOf(spec: MeshSpec | undefined): Mesh {
  if (spec === undefined || spec.fullMesh !== false) return FULL
  return { fullMesh: false, zoneNames: [...new Set(spec.zoneNames ?? [])].toSorted() }
}

/** Whether the EventConfig's own mesh allows `zone`; its own zone always is. */
export function supports(member: Pick<Member, 'zone' | 'mesh'>, zone: string): boolean {
  return zone === member.zone || member.mesh.fullMesh || member.mesh.zoneNames.includes(zone)
}
