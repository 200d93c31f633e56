import type { Controller } from '#control/controller.ts'

/** Every kind that has consequences, and what computes them. */
export const controllers: readonly Controller[] = []
