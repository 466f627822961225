(* The utility of a condition, and what it says about its truth.

   DeVoe and Lampropoulos (Flexible and Automatic Targeted Property-Based Testing, section 3) give every condition a number
   that a search can raise. Proved here, for the mapping as it is printed (figure 3) and as src/case/truth.c has it for integers:

     utility_is_truth   lemma 3.2: a condition holds if and only if its utility is not negative
     higher_is_truer    theorem 3.1: where the utility is at least as high, a condition that held still holds

   and what a negation needs (negation_of_zero), why the disjunction of nothing must be false (any_of_none), which the paper
   has as true. Arithmetic is that of the integers: sonde computes with 64 bits, and truth.c says where a difference does not fit.

   Operands are functions of the state, so that whatever C can compute is one. *)

Require Import ZArith List Lia.
Import ListNotations.
Open Scope Z_scope.

Section Utility.

Variable state : Type.
Definition operand := state -> Z.

Inductive condition : Type :=
  | True_ | False_
  | Le (a b : operand) | Lt (a b : operand) | Eq (a b : operand)
  | Or (p q : condition) | And (p q : condition) | Not (p : condition).

Fixpoint holds (s : state) (c : condition) : Prop :=
  match c with
  | True_ => True
  | False_ => False
  | Le a b => a s <= b s
  | Lt a b => a s < b s
  | Eq a b => a s = b s
  | Or p q => holds s p \/ holds s q
  | And p q => holds s p /\ holds s q
  | Not p => ~ holds s p
  end.

Definition negated (u : Z) : Z := if u =? 0 then -1 else - u.

Fixpoint utility (s : state) (c : condition) : Z :=
  match c with
  | True_ => 1
  | False_ => -1
  | Le a b => b s - a s
  | Lt a b => b s - a s - 1
  | Eq a b => - Z.abs (a s - b s)
  | Or p q => Z.max (utility s p) (utility s q)
  | And p q => Z.min (utility s p) (utility s q)
  | Not p => negated (utility s p)
  end.

(* Without the special case, a condition that just holds and its negation would both have the utility of truth. *)
Lemma negation_of_zero : negated 0 < 0 /\ ~ (- 0 < 0).
Proof. unfold negated; simpl; lia. Qed.

Lemma negated_is_negation : forall u, negated u >= 0 <-> ~ (u >= 0).
Proof.
  intro u; unfold negated; destruct (Z.eqb_spec u 0); lia.
Qed.

Lemma utility_is_truth_ : forall c s, utility s c >= 0 <-> holds s c.
Proof.
  induction c as [| | a b | a b | a b | p IHp q IHq | p IHp q IHq | p IHp]; intro s; simpl.
  - split; [trivial | lia].
  - split; [lia | contradiction].
  - lia.
  - lia.
  - lia.
  - rewrite <- (IHp s), <- (IHq s); lia.
  - rewrite <- (IHp s), <- (IHq s); lia.
  - rewrite negated_is_negation, (IHp s); reflexivity.
Qed.

(* Lemma 3.2. *)
Theorem utility_is_truth : forall c s,
  (utility s c < 0 <-> ~ holds s c) /\ (utility s c >= 0 <-> holds s c).
Proof.
  intros c s; split.
  - rewrite <- (utility_is_truth_ c s); lia.
  - apply utility_is_truth_.
Qed.

(* Theorem 3.1. *)
Theorem higher_is_truer : forall c s1 s2,
  utility s1 c <= utility s2 c -> holds s1 c -> holds s2 c.
Proof.
  intros c s1 s2 higher truth.
  apply utility_is_truth_; apply utility_is_truth_ in truth; lia.
Qed.

(* Folds over lists, as sonde_all and sonde_any have them. *)
Definition all_of (cs : list condition) : condition := fold_right And True_ cs.
Definition any_of (cs : list condition) : condition := fold_right Or False_ cs.

Theorem all_of_is_all : forall cs s, utility s (all_of cs) >= 0 <-> Forall (holds s) cs.
Proof.
  intros cs s; rewrite utility_is_truth_.
  induction cs as [| c cs IH]; simpl.
  - split; auto.
  - rewrite IH; split; [intros [h t]; auto | intro f; inversion f; auto].
Qed.

Theorem any_of_is_any : forall cs s, utility s (any_of cs) >= 0 <-> Exists (holds s) cs.
Proof.
  intros cs s; rewrite utility_is_truth_.
  induction cs as [| c cs IH]; simpl.
  - split; [contradiction | intro e; inversion e].
  - rewrite IH; split; [intros [h | t]; auto | intro e; inversion e; auto].
Qed.

(* Nothing holds of an empty list: a disjunction of no parts that counted as true would break the lemma. *)
Theorem any_of_none : forall s, utility s (any_of []) < 0 /\ ~ Exists (holds s) [].
Proof.
  intro s; split; [simpl; lia | intro e; inversion e].
Qed.

End Utility.

Print Assumptions higher_is_truer.
Print Assumptions all_of_is_all.
Print Assumptions any_of_is_any.
