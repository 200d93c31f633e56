import { findCondition } from '#domain/condition.ts'
import type { Condition, Resource } from '#domain/object.ts'
import type { OwnView } from '#domain/plan/world.ts'
import { entityOf } from './entity.ts'
import { controllerUid, Facet, isReady, withoutConditions } from './facets.ts'

/** Who hears about reads, and of times not yet reached. */
export interface Recorder {
  /** Where the facets of an object are counted from; buckets and derivations have but one. */
  base(entity: string): number
  read(slot: number): void
  wake(atMs: number): void
}

export const NO_RECORDER: Recorder = { base: () => 0, read: () => {}, wake: () => {} }

const NOTHING = Object.freeze({})

/** One object at one moment; every first look at a facet is told to the recorder. */
export class RecordedView implements OwnView<any, any> {
  readonly #resource: Resource
  readonly #recorder: Recorder
  readonly #base: number
  #seen = 0

  constructor(resource: Resource, recorder: Recorder, base = recorder.base(entityOf(resource))) {
    this.#resource = resource
    this.#recorder = recorder
    this.#base = base
  }

  #look(facet: Facet): Resource<any, any> {
    const bit = 1 << facet
    if ((this.#seen & bit) === 0) {
      this.#seen |= bit
      this.#recorder.read(this.#base + facet)
    }
    return this.#resource
  }

  get kind(): string {
    return this.#resource.kind
  }
  get apiVersion(): string {
    return this.#resource.apiVersion
  }
  get namespace(): string {
    return this.#resource.metadata.namespace ?? ''
  }
  get name(): string {
    return this.#resource.metadata.name
  }
  get uid(): string {
    return this.#resource.metadata.uid ?? ''
  }
  get created(): string {
    return this.#resource.metadata.creationTimestamp ?? ''
  }
  get resourceVersion(): string {
    return this.#resource.metadata.resourceVersion ?? ''
  }
  get labels(): Readonly<Record<string, string>> {
    return this.#look(Facet.metadata).metadata.labels ?? NOTHING
  }
  get annotations(): Readonly<Record<string, string>> {
    return this.#look(Facet.metadata).metadata.annotations ?? NOTHING
  }
  get deleting(): boolean {
    return this.#look(Facet.metadata).metadata.deletionTimestamp !== undefined
  }
  get controllerUid(): string | undefined {
    return controllerUid(this.#look(Facet.metadata).metadata)
  }
  get generation(): number {
    return this.#look(Facet.spec).metadata.generation ?? 0
  }
  get spec(): any {
    return this.#look(Facet.spec).spec
  }
  get status(): any {
    const { status } = this.#look(Facet.status)
    return status === undefined ? NOTHING : withoutConditions(status)
  }
  /** Nobody hears of this: changes that others make to an object's own status are watched anyway. */
  get lastStatus(): any {
    return withoutConditions(this.#resource.status)
  }
  get ready(): boolean {
    return isReady(this.#look(Facet.ready))
  }
  condition(type: string): Condition | undefined {
    return findCondition(this.#look(Facet.conditions).status?.conditions, type)
  }
}
