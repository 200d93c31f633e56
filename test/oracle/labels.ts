/**
 * Versions and uids were recorded as labels: equal label, equal value. Two answers agree when there is a one-to-one
 * relation between the labels and the values of this server.
 */
export class Labels {
  readonly #values = new Map<string, string>()
  readonly #labels = new Map<string, string>()

  /** Whether `value` may stand where `label` stood; from then on it has to. */
  match(label: string, value: string): boolean {
    const kind = label.split('#', 1)[0]
    const known = this.#values.get(label)
    const other = this.#labels.get(`${kind} ${value}`)
    if (known === undefined && other === undefined) {
      this.#values.set(label, value)
      this.#labels.set(`${kind} ${value}`, label)
      return true
    }
    return known === value && other === label
  }
}
