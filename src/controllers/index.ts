import type { Controller } from '#control/controller.ts'
import { apiControllers } from './api.ts'
import { eventControllers } from './event.ts'
import { platformControllers } from './platform.ts'

/** Every kind that has consequences, and what computes them. */
export const controllers: readonly Controller[] = [...platformControllers(), ...apiControllers(), ...eventControllers()]
