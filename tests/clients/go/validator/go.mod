// What the generated client uses of the module of this name: it checks tags of models.
module gopkg.in/validator.v2

go 1.23
