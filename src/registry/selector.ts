/** A parsed label or field selector: all requirements hold. */
export type Selector = readonly Requirement[]

export interface Requirement {
  readonly key: string
  readonly operator: '=' | '!=' | 'in' | 'notin' | 'exists' | '!exists'
  readonly values: readonly string[]
}
