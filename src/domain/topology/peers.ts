import { supports, type Member } from './mesh.ts'

/**
 * Who sends to whom. A hop exists where its sender is allowed to send; nothing in the other direction is asked
 * (§5.2.7).
 */
const others = (zone: string, members: readonly Member[]): readonly Member[] => members.filter((m) => m.zone !== zone)

const zonesOf = (members: readonly Member[]): readonly string[] => members.map((m) => m.zone).toSorted()

/** §5.2.6, §5.2.7: backends whose mesh allows `zone` hand callbacks over to it. Proxy EventConfigs send none (§6.2.1). */
export function callbackSenders(zone: string, members: readonly Member[]): readonly string[] {
  return zonesOf(others(zone, members).filter((m) => m.target === undefined && supports(m, zone)))
}

/** §6.2.1: the zones a backend hands callbacks over to; a proxy EventConfig has none. */
export function callbackReceivers(self: Member, members: readonly Member[]): readonly string[] {
  if (self.target !== undefined) return []
  return zonesOf(others(self.zone, members).filter((m) => supports(self, m.zone)))
}

/** §4.1: proxy zones publish to their target, whatever any mesh says. */
export function publishSenders(zone: string, members: readonly Member[]): readonly string[] {
  return zonesOf(others(zone, members).filter((m) => m.target === zone))
}

/** §4.3: zones that may replay from `zone`: those whose mesh allows it, and those that have no other backend. */
export function replaySenders(zone: string, members: readonly Member[]): readonly string[] {
  return zonesOf(others(zone, members).filter((m) => m.target === zone || supports(m, zone)))
}

/** The zones with a replay backend that `self` may reach. */
export function replayReceivers(self: Member, members: readonly Member[]): readonly string[] {
  return zonesOf(others(self.zone, members).filter((m) => m.target === undefined && m.replay && supports(self, m.zone)))
}
