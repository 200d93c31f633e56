import { controllerOf, type Controller } from '#control/controller.ts'
import { Api } from '#domain/kinds/api/api.ts'
import { ApiCategory } from '#domain/kinds/api/api-category.ts'
import { ApiExposure } from '#domain/kinds/api/api-exposure.ts'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { RemoteApiSubscription } from '#domain/kinds/api/remote-api-subscription.ts'
import { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import { EventSpecification } from '#domain/kinds/rover/event-specification.ts'
import { Rover } from '#domain/kinds/rover/rover.ts'
import { planApi } from '#domain/plan/api.ts'
import { planApiCategory } from '#domain/plan/api-category.ts'
import { planApiExposure } from '#domain/plan/api-exposure.ts'
import { planApiSpecification } from '#domain/plan/api-specification.ts'
import { planApiSubscription } from '#domain/plan/api-subscription.ts'
import { planEventSpecification } from '#domain/plan/event-specification.ts'
import { planRemoteApiSubscription } from '#domain/plan/remote-api-subscription.ts'
import { planRover } from '#domain/plan/rover.ts'

/** The API domain, and the files people describe APIs, events and applications with. */
export const apiControllers = (): readonly Controller[] => [
  controllerOf(ApiSpecification, planApiSpecification),
  controllerOf(EventSpecification, planEventSpecification),
  controllerOf(Rover, planRover),
  controllerOf(Api, planApi),
  controllerOf(ApiCategory, planApiCategory),
  controllerOf(ApiExposure, planApiExposure),
  controllerOf(ApiSubscription, planApiSubscription),
  controllerOf(RemoteApiSubscription, planRemoteApiSubscription),
]
