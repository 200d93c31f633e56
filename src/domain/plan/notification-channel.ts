import type {
  NotificationChannelSpec,
  NotificationChannelStatus,
} from '#domain/kinds/notification/notification-channel.ts'
import type {
  NotificationTemplateSpec,
  NotificationTemplateStatus,
} from '#domain/kinds/notification/notification-template.ts'
import { provisioned, type Planner } from './plan.ts'

export const planNotificationChannel: Planner<NotificationChannelSpec, NotificationChannelStatus> = () =>
  provisioned({ status: {} })

export const planNotificationTemplate: Planner<NotificationTemplateSpec, NotificationTemplateStatus> = () =>
  provisioned({ status: {} })
