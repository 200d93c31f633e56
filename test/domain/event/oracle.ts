/**
 * A second reading of the specification (§4, §5.2, §6.2), by brute force and without any code of the product: from a
 * description of zones it says which routes there are, whom they trust and where callbacks enter.
 */
export interface Site {
  readonly zone: string
  readonly basePath: string
  /** The target of a proxy; undefined: runs a backend. */
  readonly target: string | undefined
  /** Names, or undefined for everyone. */
  readonly mesh: readonly string[] | undefined
  readonly clientId: string
  readonly replay: boolean
}

export interface Expected {
  /** `zone route type upstream trusted allowed` */
  readonly routes: readonly string[]
  readonly callbackUrl: Readonly<Record<string, string>>
  readonly proxyCallbackUrls: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export class Oracle {
  readonly sites: readonly Site[]
  constructor(sites: readonly Site[]) {
    this.sites = sites
  }

  site(zone: string): Site {
    const found = this.sites.find((s) => s.zone === zone)
    if (found === undefined) throw new Error(`no site ${zone}`)
    return found
  }

  /** §2.5: may `from` communicate with `to`? */
  may(from: string, to: string): boolean {
    const { mesh } = this.site(from)
    return from === to || mesh === undefined || mesh.includes(to)
  }

  isLocal(zone: string): boolean {
    return this.sites.some((s) => s.zone === zone && s.target === undefined)
  }

  /** A proxy without a backend behind it is not ready. */
  isReady(zone: string): boolean {
    const { target } = this.site(zone)
    return target === undefined || this.isLocal(target)
  }

  backend(zone: string): string {
    return this.site(zone).target ?? zone
  }

  url(zone: string, path: string): string {
    const { basePath } = this.site(zone)
    return `https://${zone}.gw.example${basePath === '/' ? '' : basePath}${path}`
  }

  /** The table of §6.2.4 with the conditions of §6.2.6; '' where callbacks cannot go. */
  ingress(exposure: string, subscriber: string): string {
    const backend = this.backend(exposure)
    const enter = this.url(backend, `/eventbackend-${subscriber}/callback/v1`)
    if (subscriber !== exposure && !this.may(exposure, subscriber)) return ''
    if (subscriber === backend) return enter
    return this.may(backend, subscriber) ? enter : ''
  }

  callbackRoutes(): readonly string[] {
    return this.sites.flatMap(({ zone, clientId, target }) => {
      const senders = this.sites.filter((x) => x.zone !== zone && x.target === undefined && this.may(x.zone, zone))
      const trusted = [`I(${zone})`, ...senders.map((x) => `L(${x.zone})`)].toSorted()
      const allowed = [clientId, ...(senders.length > 0 ? ['gateway'] : [])].toSorted()
      const own = [zone, `callback--${zone}`, 'PRIMARY', 'http://localhost:8080/proxy', trusted, allowed].join(' ')
      const receivers = target === undefined ? this.sites.filter((t) => t.zone !== zone && this.may(zone, t.zone)) : []
      const out = receivers.map((t) => {
        const upstream = this.url(t.zone, `/eventbackend-${t.zone}/callback/v1`)
        return [zone, `callback--${t.zone}`, 'PROXY', upstream, `I(${zone})`, clientId].join(' ')
      })
      return [own, ...out]
    })
  }

  publishRoutes(): readonly string[] {
    return this.sites
      .filter((s) => this.isReady(s.zone))
      .map(({ zone, target }) => {
        if (target !== undefined)
          return [zone, 'publish', 'PROXY', this.url(target, '/eventbackend/events/v1'), `I(${zone})`, 'off'].join(' ')
        const senders = this.sites.filter((p) => p.target === zone)
        const trusted = [`I(${zone})`, ...senders.map((p) => `L(${p.zone})`)].toSorted()
        return [zone, 'publish', 'PRIMARY', `https://${zone}.backend.example/publish`, trusted, 'off'].join(' ')
      })
  }

  replayRoutes(): readonly string[] {
    const has = (zone: string): boolean => this.isLocal(zone) && this.site(zone).replay
    return this.sites
      .filter((s) => this.isReady(s.zone) && has(this.backend(s.zone)))
      .flatMap(({ zone, target }) => {
        const senders = this.sites.filter((x) => x.zone !== zone && (x.target === zone || this.may(x.zone, zone)))
        const trusted = [`I(${zone})`, ...(target === undefined ? senders.map((x) => `L(${x.zone})`) : [])].toSorted()
        const upstream =
          target === undefined
            ? `https://${zone}.backend.example/voyager`
            : this.url(target, `/eventbackend-${target}/voyager/v1`)
        const own = [
          zone,
          `voyager--${zone}`,
          target === undefined ? 'PRIMARY' : 'PROXY',
          upstream,
          trusted,
          'off',
        ].join(' ')
        const others = this.sites.filter((t) => t.zone !== zone && has(t.zone) && this.may(zone, t.zone))
        return [
          own,
          ...others.map((t) =>
            [
              zone,
              `voyager--${t.zone}`,
              'PROXY',
              this.url(t.zone, `/eventbackend-${t.zone}/voyager/v1`),
              `I(${zone})`,
              'off',
            ].join(' '),
          ),
        ]
      })
  }

  /** §4.3, §5.2.8: `listeners` are the zones with granted streams. */
  streamRoutes(name: string, path: string, exposure: string, listeners: readonly string[]): readonly string[] {
    if (!this.isReady(exposure)) return []
    const backend = this.backend(exposure)
    const proxies = [...new Set([...listeners.filter((z) => this.may(exposure, z)), exposure])].filter(
      (z) => z !== backend,
    )
    const trusted = [`I(${backend})`, ...proxies.map((z) => `L(${z})`)].toSorted()
    return [
      [backend, name, 'PRIMARY', `https://${backend}.backend.example/sse`, trusted, 'off'].join(' '),
      ...proxies.map((z) => [z, name, 'PROXY', this.url(backend, path), `I(${z})`, 'off'].join(' ')),
    ]
  }
}
