import type { Kind } from '#domain/kind.ts'
import { Environment } from './admin/environment.ts'
import { RemoteOrganization } from './admin/remote-organization.ts'
import { Zone } from './admin/zone.ts'
import { Api } from './api/api.ts'
import { ApiCategory } from './api/api-category.ts'
import { ApiExposure } from './api/api-exposure.ts'
import { ApiSubscription } from './api/api-subscription.ts'
import { RemoteApiSubscription } from './api/remote-api-subscription.ts'
import { Application } from './application/application.ts'
import { Approval } from './approval/approval.ts'
import { ApprovalExpiration } from './approval/approval-expiration.ts'
import { ApprovalRequest } from './approval/approval-request.ts'
import { Event } from './core/event.ts'
import { Namespace } from './core/namespace.ts'
import { EventConfig } from './event/event-config.ts'
import { EventExposure } from './event/event-exposure.ts'
import { EventSubscription } from './event/event-subscription.ts'
import { EventType } from './event/event-type.ts'
import { File } from './files/file.ts'
import { ConsumeRoute } from './gateway/consume-route.ts'
import { Consumer } from './gateway/consumer.ts'
import { Gateway } from './gateway/gateway.ts'
import { Route } from './gateway/route.ts'
import { Client } from './identity/client.ts'
import { IdentityProvider } from './identity/identity-provider.ts'
import { Realm } from './identity/realm.ts'
import { Notification } from './notification/notification.ts'
import { NotificationChannel } from './notification/notification-channel.ts'
import { NotificationTemplate } from './notification/notification-template.ts'
import { Group } from './organization/group.ts'
import { Team } from './organization/team.ts'
import { EventStore } from './pubsub/event-store.ts'
import { Publisher } from './pubsub/publisher.ts'
import { Subscriber } from './pubsub/subscriber.ts'
import { ApiSpecification } from './rover/api-specification.ts'
import { EventSpecification } from './rover/event-specification.ts'
import { Rover } from './rover/rover.ts'

/** Every kind the control plane serves, written out. */
export const KINDS: readonly Kind<any, any>[] = [
  Api,
  ApiCategory,
  ApiExposure,
  ApiSpecification,
  ApiSubscription,
  Application,
  Approval,
  ApprovalExpiration,
  ApprovalRequest,
  Client,
  ConsumeRoute,
  Consumer,
  Environment,
  Event,
  EventConfig,
  EventExposure,
  EventSpecification,
  EventStore,
  EventSubscription,
  EventType,
  File,
  Gateway,
  Group,
  IdentityProvider,
  Namespace,
  Notification,
  NotificationChannel,
  NotificationTemplate,
  Publisher,
  Realm,
  RemoteApiSubscription,
  RemoteOrganization,
  Route,
  Rover,
  Subscriber,
  Team,
  Zone,
]
