import {
  type Actuator,
  type ActuatorContext,
  type ActuatorResult,
  applied,
  refused,
  retry,
  retryAfter,
} from '#control/actuator.ts'
import type {
  NotificationSpec,
  NotificationState,
  NotificationStatus,
} from '#domain/kinds/notification/notification.ts'
import type { Message } from '#domain/plan/notification-message.ts'
import type { NotificationEffect } from '#domain/plan/notification.ts'
import { formatTime } from '#domain/time.ts'
import { type Clock, systemClock } from '#lib/clock.ts'
import { encodeJson } from '#lib/json.ts'
import { failureOf, type HttpAnswer, type SendHttp } from './http-call.ts'
import { sendHttp } from './send-http.ts'

export interface SenderOptions {
  readonly send?: SendHttp | undefined
  readonly clock?: Pick<Clock, 'now'> | undefined
  readonly timeoutMs?: number | undefined
}

const TIMEOUT_MS = 5000
const BUSY_SECONDS = 30

/** Posts notifications to webhooks. There is no sender of mail yet: a mail is written to the log, complete, and its state says so. */
export function notificationSender(
  options: SenderOptions = {},
): Actuator<NotificationSpec, NotificationStatus, NotificationEffect> {
  const { send = sendHttp, clock = systemClock, timeoutMs = TIMEOUT_MS } = options
  // What got through before another channel failed: a retry must not tell the same people twice.
  const delivered = new Set<string>()
  return {
    async apply(self, effect, context) {
      const uid = self.metadata.uid ?? ''
      const keyOf = (message: Message): string => `${uid} ${message.channel}`
      for (const message of effect.messages) {
        if (delivered.has(keyOf(message))) continue
        const result = await deliver({ message, id: keyOf(message), send, timeoutMs }, context)
        if (result.type !== 'ok') return result
        delivered.add(keyOf(message))
      }
      for (const message of effect.messages) delivered.delete(keyOf(message))
      const sentAt = formatTime(clock.now())
      return applied({ states: effect.messages.map((message) => ({ ...stateOf(message), sentAt })) })
    },
    remove: async () => applied(),
    assume: (_self, effect) => ({ states: effect.messages.map(stateOf) }),
  }
}

const MAIL_STATE = 'Written to the log of the server: this version sends no mail'

const stateOf = ({ channel, to }: Message): NotificationState =>
  to.type === 'email' ? { channel, sent: true, message: MAIL_STATE } : { channel, sent: true }

interface Delivery {
  readonly message: Message
  readonly id: string
  readonly send: SendHttp
  readonly timeoutMs: number
}

async function deliver({ message, id, send, timeoutMs }: Delivery, context: ActuatorContext): Promise<ActuatorResult> {
  const { to, channel, purpose, subject, body, properties } = message
  if (to.type === 'email') {
    context.log.info('mail', { channel, purpose, to: to.recipients, subject, text: body })
    return applied()
  }
  const token = to.token === undefined ? undefined : await context.resolveSecret(to.token)
  try {
    const answer = await send({
      method: 'POST',
      url: to.url,
      headers: {
        'content-type': 'application/json',
        'idempotency-key': id,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: encodeJson({ purpose, subject, text: body, properties }),
      signal: context.signal,
      timeoutMs,
    })
    return judged(channel, answer)
  } catch (error) {
    return retry(`NotificationChannel ${channel} cannot be reached: ${failureOf(error)}`)
  }
}

function judged(channel: string, { status }: HttpAnswer): ActuatorResult {
  if (status >= 200 && status < 300) return applied()
  const message = `NotificationChannel ${channel} answered ${status}`
  if (status === 429 || status === 503) return retryAfter(BUSY_SECONDS, message)
  return status >= 500 ? retry(message) : refused(`${message}; check its address and token`)
}
