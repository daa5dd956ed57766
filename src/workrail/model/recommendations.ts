/** Warnings where preferences go beyond what a workflow recommends (locks, section 5). They never stop anybody. */
import { AUTONOMIES, RISK_POLICIES, type Autonomy, type RiskPolicy } from './closed-sets';
import { type CompiledWorkflow } from './compiled-workflow';
import { type Preferences } from './preferences';

/** What goes beyond what. */
export type RecommendationWarning =
  | {
      readonly kind: 'autonomy_exceeds_recommendation';
      readonly effective: Autonomy;
      readonly recommended: Autonomy;
      readonly summary: string;
    }
  | {
      readonly kind: 'risk_policy_exceeds_recommendation';
      readonly effective: RiskPolicy;
      readonly recommended: RiskPolicy;
      readonly summary: string;
    };

/** One warning for each preference that is higher in its order than recommended. */
export function recommendationWarnings(
  { autonomy, riskPolicy }: Preferences,
  {
    recommendedAutonomy,
    recommendedRiskPolicy,
  }: Pick<CompiledWorkflow, 'recommendedAutonomy' | 'recommendedRiskPolicy'>,
): readonly RecommendationWarning[] {
  const warnings: RecommendationWarning[] = [];
  if (recommendedAutonomy && AUTONOMIES.indexOf(autonomy) > AUTONOMIES.indexOf(recommendedAutonomy)) {
    warnings.push({
      kind: 'autonomy_exceeds_recommendation',
      effective: autonomy,
      recommended: recommendedAutonomy,
      summary: `The autonomy "${autonomy}" goes beyond "${recommendedAutonomy}", which this workflow recommends.`,
    });
  }
  if (
    recommendedRiskPolicy &&
    RISK_POLICIES.indexOf(riskPolicy) > RISK_POLICIES.indexOf(recommendedRiskPolicy)
  ) {
    warnings.push({
      kind: 'risk_policy_exceeds_recommendation',
      effective: riskPolicy,
      recommended: recommendedRiskPolicy,
      summary: `The risk policy "${riskPolicy}" goes beyond "${recommendedRiskPolicy}", which this workflow recommends.`,
    });
  }
  return warnings;
}
