import type { Resource } from '#domain/object.ts'
import { differs } from './desired.ts'
import { entityOf } from './entity.ts'

/**
 * Where the server stores something else than it was asked for (an admission that adds a label, say), asking again
 * would change nothing. Only those cases are remembered, and only until the process ends: then one write finds out again.
 */
export class Settled {
  readonly #answers = new Map<string, { readonly wanted: Resource; readonly got: Resource }>()

  note(wanted: Resource, got: Resource): void {
    const entity = entityOf(got)
    if (differs(wanted, got)) this.#answers.set(entity, { wanted, got })
    else this.#answers.delete(entity)
  }

  holds(wanted: Resource, current: Resource): boolean {
    const answer = this.#answers.get(entityOf(current))
    return answer !== undefined && !differs(answer.wanted, wanted) && !differs(answer.got, current)
  }
}
