import { controllerOf, type Controller } from '#control/controller.ts'
import { Environment } from '#domain/kinds/admin/environment.ts'
import { RemoteOrganization } from '#domain/kinds/admin/remote-organization.ts'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { Application } from '#domain/kinds/application/application.ts'
import { Approval } from '#domain/kinds/approval/approval.ts'
import { ApprovalExpiration } from '#domain/kinds/approval/approval-expiration.ts'
import { ApprovalRequest } from '#domain/kinds/approval/approval-request.ts'
import { ConsumeRoute } from '#domain/kinds/gateway/consume-route.ts'
import { Consumer } from '#domain/kinds/gateway/consumer.ts'
import { Gateway } from '#domain/kinds/gateway/gateway.ts'
import { Route } from '#domain/kinds/gateway/route.ts'
import { Client } from '#domain/kinds/identity/client.ts'
import { IdentityProvider } from '#domain/kinds/identity/identity-provider.ts'
import { Realm } from '#domain/kinds/identity/realm.ts'
import { Notification } from '#domain/kinds/notification/notification.ts'
import { NotificationChannel } from '#domain/kinds/notification/notification-channel.ts'
import { NotificationTemplate } from '#domain/kinds/notification/notification-template.ts'
import { Group } from '#domain/kinds/organization/group.ts'
import { Team } from '#domain/kinds/organization/team.ts'
import { planApplication } from '#domain/plan/application.ts'
import { planApproval } from '#domain/plan/approval.ts'
import { planApprovalExpiration } from '#domain/plan/approval-expiration.ts'
import { planApprovalRequest } from '#domain/plan/approval-request.ts'
import { planClient } from '#domain/plan/client.ts'
import { planConsumeRoute } from '#domain/plan/consume-route.ts'
import { planConsumer } from '#domain/plan/consumer.ts'
import { planEnvironment } from '#domain/plan/environment.ts'
import { planGateway } from '#domain/plan/gateway.ts'
import { planGroup } from '#domain/plan/group.ts'
import { planIdentityProvider } from '#domain/plan/identity-provider.ts'
import { planNotification } from '#domain/plan/notification.ts'
import { planNotificationChannel, planNotificationTemplate } from '#domain/plan/notification-channel.ts'
import { planRealm } from '#domain/plan/realm.ts'
import { planRemoteOrganization } from '#domain/plan/remote-organization.ts'
import { planRoute } from '#domain/plan/route.ts'
import { planTeam } from '#domain/plan/team.ts'
import { planZone } from '#domain/plan/zone.ts'
import { notificationSender, type SenderOptions } from './actuators/notification-sender.ts'

/** The kinds around APIs and events: zones, identity, gateways, people and approvals. */
export const platformControllers = (options: SenderOptions = {}): readonly Controller[] => [
  controllerOf(Environment, planEnvironment),
  controllerOf(Zone, planZone),
  controllerOf(RemoteOrganization, planRemoteOrganization),
  controllerOf(IdentityProvider, planIdentityProvider),
  controllerOf(Realm, planRealm),
  controllerOf(Client, planClient),
  controllerOf(Gateway, planGateway),
  controllerOf(Consumer, planConsumer),
  controllerOf(Route, planRoute),
  controllerOf(ConsumeRoute, planConsumeRoute),
  controllerOf(Group, planGroup),
  controllerOf(Team, planTeam),
  controllerOf(Application, planApplication),
  controllerOf(ApprovalRequest, planApprovalRequest),
  controllerOf(Approval, planApproval),
  controllerOf(ApprovalExpiration, planApprovalExpiration),
  controllerOf(NotificationChannel, planNotificationChannel),
  controllerOf(NotificationTemplate, planNotificationTemplate),
  controllerOf(Notification, planNotification, { actuator: notificationSender(options) }),
]
